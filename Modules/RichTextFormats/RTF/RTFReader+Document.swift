import Model
import RichText

/// Conversion of states to attributes, and of the result to a document.
extension RTFReader {
  /// Returns the attributes of a character state. Values out of range are omitted and counted.
  /// O(1) for a state that was converted before.
  mutating func set(for state: RTFCharacterState) -> AttributeSet<CharacterAttribute> {
    if let known = characterSets[state] { return known }
    var set = AttributeSet<CharacterAttribute>()
    // Diple writes the same attributes for all scripts.
    let isComplex = state.isRightToLeft && !isOwn
    if let bold = isComplex ? state.complexBold : state.bold { set.set(.bold(bold)) }
    if let italic = isComplex ? state.complexItalic : state.italic { set.set(.italic(italic)) }
    if let underline = state.underline { set.set(.underline(underline)) }
    if let strikethrough = state.strikethrough { set.set(.strikethrough(strikethrough)) }
    if let capitals = state.capitals { set.set(.capitals(capitals)) }
    if let position = state.position { set.set(.position(position)) }
    if let size = isComplex ? state.complexSize : state.size { set.set(.size(Int(size))) }
    if let color = state.color { set.set(.color(tables.color(color))) }
    if let background = background(of: state) {
      set.set(.background(tables.color(background)))
    }
    if let link = state.link { set.set(.link(tables.links[Int(link)])) }
    if let font = state.font, let name = tables.fonts[font] {
      set.set(.family(isCocoa ? Self.family(ofPostScriptName: name) : name))
    }
    set = checked(set)
    if characterSets.count < 1 << 20 { characterSets[state] = set }
    return set
  }

  private mutating func checked<Attribute>(_ set: AttributeSet<Attribute>) -> AttributeSet<
    Attribute
  > {
    var result = set
    for attribute in set.values where attribute.problem(within: .files) != nil {
      result.clear(attribute.kind)
      badValues += 1
    }
    return result
  }

  /// Returns the family of a font from the PostScript name that TextEdit writes:
  /// `Helvetica-BoldOblique` belongs to Helvetica.
  static func family(ofPostScriptName name: String) -> String {
    let endings = ["PSMT", "PS", "MT"]
    guard let hyphen = name.lastIndex(of: "-") else {
      let ending = endings.first { name.hasSuffix($0) && name.count > 5 }
      return ending.map { spaced(String(name.dropLast($0.count))) } ?? name
    }
    let faces = [
      "bold", "italic", "oblique", "roman", "regular", "light", "medium", "semibold", "demibold",
      "book", "black", "heavy", "thin", "mt", "ps",
    ]
    var face = name[name.index(after: hyphen)...].lowercased()
    while let part = faces.first(where: { face.hasSuffix($0) }) { face.removeLast(part.count) }
    var family = String(name[..<hyphen])
    guard face.isEmpty else { return name }
    for ending in endings where family.hasSuffix(ending) && family.count > 5 {
      family.removeLast(ending.count)
      break
    }
    return spaced(family)
  }

  /// Inserts spaces before capitals: `TimesNewRoman` becomes Times New Roman.
  private static func spaced(_ name: String) -> String {
    var result = ""
    for letter in name {
      if letter.isUppercase, let last = result.last, last.isLowercase { result += " " }
      result.append(letter)
    }
    return result
  }

  /// Returns the attributes of a paragraph state. Values out of range are omitted and counted.
  mutating func set(for state: RTFParagraphState) -> AttributeSet<ParagraphAttribute> {
    func twips(_ value: Int32) -> Twips { Twips(Int(value)) }
    var set = AttributeSet<ParagraphAttribute>()
    if var alignment = state.alignment {
      // The text of other programs begins at the right. Diple's own alignment is that of its words.
      if state.isRightToLeft, !isOwn {
        alignment = alignment == .right ? .left : alignment == .left ? .right : alignment
      }
      set.set(.alignment(alignment))
    }
    if let indent = state.firstLineIndent { set.set(.firstLineIndent(twips(indent))) }
    if let indent = state.headIndent { set.set(.headIndent(twips(indent))) }
    if let indent = state.tailIndent { set.set(.tailIndent(twips(indent))) }
    if let spacing = state.lineSpacing { set.set(.lineSpacing(twips(spacing))) }
    if let space = state.spaceBefore { set.set(.spaceBefore(twips(space))) }
    if let space = state.spaceAfter { set.set(.spaceAfter(twips(space))) }
    if let stops = state.tabStops { set.set(.tabStops(stops)) }
    if let minimum = state.minimum, minimum > 0 { set.set(.lineHeight(.atLeast(twips(minimum)))) }
    if let height = state.lineHeight {
      if state.isMultiple {
        set.set(.lineHeight(.multiple(abs(Int(height)))))
      } else if height != 0 {
        set.set(
          .lineHeight(height < 0 ? .exactly(Twips(-Int(height))) : .atLeast(twips(height))))
      } else if !isOwn {
        set.set(.lineHeight(.multiple(240)))
      }
    }
    if let item = item(state) { set.set(.list(item)) }
    if let style = state.style, let id = styleID(style) { set.set(.style(id)) }
    return checked(set)
  }

  private func item(_ state: RTFParagraphState) -> ListItem? {
    guard let number = state.list, number > 0 else {
      return state.oldMarker.map { ListItem(list: 1, level: 0, marker: $0) }
    }
    guard let list = tables.overrides[number] else { return nil }
    let level = Int(min(max(state.level, 0), 8))
    let marker = list.levels.indices.contains(level) ? list.levels[level] : .bullet
    return ListItem(
      list: Int(isOwn ? list.template ?? number : number), level: level, marker: marker)
  }

  /// Returns the id of the style with a number; nil if the file has no such style. Styles of other
  /// programs are mapped to built-in ones by name.
  func styleID(_ number: Int32) -> StyleID? {
    guard let style = tables.styles[number] else { return nil }
    if isOwn, let id = style.id { return StyleID(id) }
    switch style.name.lowercased() {
    case "normal", "body", "default", "standard", "default paragraph style", "body style":
      return .body
    case "quote", "block quote", "block text", "quotations", "intense quote": return .blockQuote
    case "code", "html preformatted", "preformatted text", "source code": return .code
    default: return StyleID(title: style.name) ?? StyleID("style-\(max(0, number))")
    }
  }

  /// Returns the attributes that text has without any control word in files of other programs.
  private mutating func baseline() -> FormatDefaults {
    var characters: AttributeSet<CharacterAttribute> = [.size(24)]
    if let name = tables.fonts[tables.defaultFont] {
      characters.set(.family(isCocoa ? Self.family(ofPostScriptName: name) : name))
    }
    return FormatDefaults(
      characters: checked(characters),
      paragraphs: [
        .alignment(.left), .firstLineIndent(Twips(0)), .headIndent(Twips(0)),
        .tailIndent(Twips(0)), .lineHeight(.multiple(240)), .lineSpacing(Twips(0)),
        .spaceBefore(Twips(0)), .spaceAfter(Twips(0)),
      ])
  }

  /// Returns the document that was read.
  mutating func document() -> RichDocument {
    while !outer.isEmpty { endNote() }
    finishText()
    if !isOwn { defaults = baseline() }
    let styles = styleSheet()
    func made(_ units: [UInt16], _ layer: FormatLayer) -> AttributedText {
      let text = AttributedText(units: units, layer: layer, styles: styles, defaults: defaults)
      return isOwn ? text : text.droppingRedundantValues()
    }
    var document = RichDocument(text: made(output.units, output.layer))
    document.notes = output.notes.map { note in
      var note = note
      note.text = made(note.text.units, note.text.layer)
      return note
    }
    document.images = output.images
    addHighlights(to: &document)
    document.tableRows = output.rows
    if isOwn {
      func twips(_ value: Int32) -> Twips { Twips(Int(value)) }
      let margins = EditorMargins(
        left: twips(margins.left), right: twips(margins.right), top: twips(margins.top),
        bottom: twips(margins.bottom))
      if margins.problem == nil { document.margins = margins }
    }
    document.properties = info.properties
    if !isOwn { ScrivenerMarkup.extract(from: &document) }
    if hiddenUnits > 0 { document.losses.append("hidden text: \(hiddenUnits) characters") }
    if skippedObjects > 0 {
      document.losses.append("embedded objects, and pictures in notes: \(skippedObjects)")
    }
    if markedInNotes > 0 { document.losses.append("highlighting in notes: \(markedInNotes)") }
    if badValues > 0 { document.losses.append("values out of range: \(badValues)") }
    return document
  }

  /// Returns a title that a style sheet accepts: one line of at most 64 scalars.
  private static func styleTitle(_ name: String) -> String {
    String(String.UnicodeScalarView(name.oneLine.unicodeScalars.prefix(64))).oneLine
  }

  /// Returns the built-in styles with those of the file added.
  private mutating func styleSheet() -> StyleSheet {
    var sheet = StyleSheet()
    var found: [NamedStyle] = []
    var usedIDs: Set<StyleID> = []
    for number in tables.styleOrder {
      guard let style = tables.styles[number], !style.isMissing, let id = styleID(number),
        id.problem == nil, usedIDs.insert(id).inserted
      else { continue }
      var paragraph = style.paragraph
      paragraph.style = nil
      let base = style.base.flatMap { $0 == number ? nil : styleID($0) }
      let title = StyleSheet.builtIn.first { $0.id == id && !isOwn }?.title ?? style.name
      found.append(
        NamedStyle(
          id: id, title: title.isEmpty ? id.name : title, basedOn: base == id ? nil : base,
          characters: set(for: style.character),
          paragraphs: set(for: paragraph).removing(isOwn ? [.style] : [.style, .list])))
    }
    for style in found {
      var bare = style
      bare.basedOn = nil
      bare.title = Self.styleTitle(style.title)
      // If the sheet refuses a style, the text still refers to it by its id.
      if (try? sheet.store(bare)) == nil { badValues += 1 }
    }
    for style in found where style.basedOn != nil {
      var complete = style
      complete.title = Self.styleTitle(style.title)
      if (try? sheet.store(complete)) == nil { badValues += 1 }
    }
    if isOwn { return sheet }
    // Other programs repeat inherited attributes in a style. These are removed.
    for style in sheet.styles where tables.styleOrder.contains(where: { styleID($0) == style.id }) {
      guard let base = style.basedOn else { continue }
      let inherited = sheet.resolved(base)
      var direct = style
      direct.characters = style.characters.without(inherited.characters)
      direct.paragraphs = style.paragraphs.without(inherited.paragraphs)
      if (try? sheet.store(direct)) == nil { badValues += 1 }
    }
    return sheet
  }
}
