extension RichDocument {
  /// Joins several documents in order. Each begins with a new paragraph. The styles, defaults
  /// and margins are those of the first document; differing defaults of the others become direct
  /// attributes. O(text + runs).
  package init(joining parts: [RichDocument]) {
    guard let first = parts.first else {
      self.init(text: AttributedText())
      return
    }
    guard parts.count > 1 else {
      self = first
      return
    }
    var units: [UInt16] = []
    var characters = FormatRuns<CharacterAttribute>()
    var paragraphs = FormatRuns<ParagraphAttribute>()
    self.init(text: AttributedText())
    margins = first.margins
    var lists = 0
    for part in parts {
      if let last = units.last, !AttributedText.isTerminator(last) { units.append(0x0A) }
      let shift = units.count
      units += part.text.units
      let partDefaults = part.text.defaults
      let isOther = partDefaults != first.text.defaults
      for (range, set) in part.text.characters.all(part.text.units.count) {
        let set =
          isOther
          ? set.inheriting(partDefaults.characters.without(first.text.defaults.characters)) : set
        characters.append(range.lowerBound + shift..<range.upperBound + shift, set)
      }
      var last = 0
      for (range, set) in part.text.paragraphs.all(part.text.units.count) {
        var set =
          isOther
          ? set.inheriting(partDefaults.paragraphs.without(first.text.defaults.paragraphs)) : set
        if case .list(var item)? = set[.list] {
          last = max(last, item.list)
          item.list += lists
          set.set(.list(item))
        }
        paragraphs.append(range.lowerBound + shift..<range.upperBound + shift, set)
      }
      lists += last
      func shifted(_ range: Range<Int>) -> Range<Int> {
        range.lowerBound + shift..<range.upperBound + shift
      }
      notes += part.notes.map { $0.moved(by: shift) }
      highlights += part.highlights.map { highlight in
        var highlight = highlight
        highlight.range = shifted(highlight.range)
        return highlight
      }
      images += part.images.map { $0.moved(by: shift) }
      tableRows += part.tableRows.map(shifted)
      for (start, alignments) in part.columns { columns[start + shift] = alignments }
      losses += part.losses
    }
    text = AttributedText(
      units: units, layer: FormatLayer(characters: characters, paragraphs: paragraphs),
      styles: first.text.styles, defaults: first.text.defaults)
  }
}

extension RichDocument.Note {
  /// Returns the note for a text that follows other text of a length.
  package func moved(by shift: Int) -> Self {
    var note = self
    note.offset += shift
    note.range = range.map { $0.lowerBound + shift..<$0.upperBound + shift }
    return note
  }
}

extension RichDocument.Image {
  /// Returns the image for a text that follows other text of a length.
  package func moved(by shift: Int) -> Self {
    var image = self
    image.offset += shift
    return image
  }
}

extension FormatRuns {
  /// Returns all parts of the first `count` units, including those without attributes.
  fileprivate func all(_ count: Int) -> [(Range<Int>, Set)] {
    var stretches: [(Range<Int>, Set)] = []
    forEach(in: 0..<count) { stretches.append(($0, $1)) }
    return stretches
  }
}

extension AttributedText {
  /// Changes the ids of custom styles, including all references to them. O(runs). Does nothing if
  /// the renamed styles aren't valid together.
  package mutating func rename(_ ids: [StyleID: StyleID]) {
    if ids.isEmpty { return }
    var stored: [NamedStyle] = []
    for style in styles.styles where ids[style.id] != nil || !StyleSheet.builtIn.contains(style) {
      var style = style
      style.basedOn = style.basedOn.map { ids[$0] ?? $0 }
      if let id = ids[style.id] { style = style.renamed(id) }
      stored.append(style)
    }
    var sheet = StyleSheet()
    do { try sheet.store(contentsOf: stored) } catch { return }
    styles = sheet
    paragraphs = paragraphs.mapSets { set in
      guard case .style(let id)? = set[.style], let new = ids[id] else { return set }
      return set.applying([.set(.style(new))])
    }
  }

  /// Moves the attributes of a changed `body` style to the text's defaults and restores the
  /// built-in style. The resolved format is unchanged.
  package mutating func gatherBody() {
    guard let body = styles[.body],
      let original = StyleSheet.builtIn.first(where: { $0.id == .body }),
      body != original
    else { return }
    do { try styles.store(original) } catch { return }
    defaults.characters = body.characters.inheriting(defaults.characters)
    defaults.paragraphs = body.paragraphs.inheriting(defaults.paragraphs)
  }
}

extension NamedStyle {
  /// Returns the style with another id, and with the last part of the id added to its title.
  package func renamed(_ id: StyleID) -> NamedStyle {
    var style = self
    style.title = String(title.prefix(60)) + " " + (id.name.split(separator: "-").last ?? "")
    style.id = id
    return style
  }
}
