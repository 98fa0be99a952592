import RichText

/// The effects of control words.
extension RTFReader {
  mutating func handle(_ word: RTFWord, _ value: Int32?, _ isOptional: Bool) {
    if word.isSkipped {
      if word == .objdata { skippedObjects += 1 }
      if word == .generator {
        isLibreOffice = bytes[position...].starts(with: Array("LibreOffice".utf8))
      }
      group.destination = .skipped
      return
    }
    if let character = word.character { return addUnit(character) }
    if group.character.isDeleted, group.destination == .text, word.isContent {
      group.destination = .skipped
      return
    }
    if handleCharacter(word, value) || handleParagraph(word, value) || handleTable(word, value) {
      return
    }
    switch word {
    case .par: endParagraph()
    case .sect, .page, .column:
      // If the paragraph has text, it ends here.
      if output.paragraphStart < output.units.count { endParagraph() }
    case .cell, .nestcell: endCell()
    case .row: endRow(isNested: false)
    case .nestrow: endRow(isNested: true)
    case .pard: group.paragraph = RTFParagraphState()
    case .plain:
      let link = group.character.link
      group.character = RTFCharacterState()
      group.character.link = link
      stateChanged = true
      usePage(of: tables.defaultFont)
    case .dplown:
      let link = group.character.link
      group.character = RTFCharacterState()
      group.character.link = link
      let style = group.paragraph.style
      group.paragraph = RTFParagraphState()
      group.paragraph.style = style
      stateChanged = true
    case .ansi: setDocumentPage(1_252)
    case .mac: setDocumentPage(10_000)
    case .pc: setDocumentPage(437)
    case .pca: setDocumentPage(850)
    case .ansicpg: if let value, value > 0 { setDocumentPage(Int(value)) }
    case .cocoartf: isCocoa = true
    case .dplrtf: isOwn = true
    case .margl: margins.left = value ?? -1
    case .margr: margins.right = value ?? -1
    case .margt: margins.top = value ?? -1
    case .margb: margins.bottom = value ?? -1
    case .deff: tables.defaultFont = value ?? 0
    case .field:
      fields.append(RTFOpenField(start: output.units.count))
      group.end = .field
    case .fldinst: if !fields.isEmpty { group.destination = .instruction }
    // Diple's own files have no properties apart from those of the library.
    case .info: group.destination = isOwn ? .skipped : .info
    case .title, .author, .subject, .keywords:
      if group.destination == .info, info.begin(word) { group.destination = .property }
    case .formfield, .fftype, .ffres, .ffdefres, .ffl: handleForm(word, value)
    case .shp, .shpgrp, .shpinst, .sp, .sn, .sv, .do, .shptxt, .dptxbxtext, .shprslt:
      handleShape(word)
    case .fldrslt: beginFieldResult()
    case .footnote: beginNote(.footnote)
    case .ftnalt: if output.kind == .footnote { output.kind = .endnote }
    case .annotation: beginNote(.comment)
    case .atrfstart: beginReference(.commentStart, value)
    case .atrfend: beginReference(.commentEnd, value)
    case .atnref: beginReference(.commentNumber, value)
    case .atnauthor: beginReference(.commentAuthor, nil)
    case .pict: beginPicture()
    case .NeXTGraphic:
      guard group.destination == .text else { return }
      collected = []
      group.destination = .attachment
      group.end = .attachment
    case .upr:
      group.beforeChoice = group.destination
      group.destination = .skipped
    case .dpldefaults:
      group.destination = .defaults
      group.end = .defaults
      group.character = RTFCharacterState()
      group.paragraph = RTFParagraphState()
    case .pn:
      group.destination = .oldNumbering
      group.end = .oldNumbering
    default:
      // After `\*`, the group of a word without a destination is skipped.
      if isOptional, !Self.openAnyway.contains(word) { group.destination = .skipped }
    }
  }

  private static let openAnyway: Set<RTFWord> = [
    .shppict, .ud, .result, .object, .nesttableprops,
  ]

  private mutating func setDocumentPage(_ number: Int) {
    documentPage = number
    use(number)
  }

  /// Decodes bytes by a code page from here on.
  private mutating func use(_ number: Int) {
    if number == currentPage { return }
    currentPage = number
    if let known = pages[number] {
      page = known
    } else {
      page = CodePage(number)
      // A file may name any number of code pages, so only some are cached.
      if pages.count < 64 { pages[number] = page }
    }
  }

  mutating func usePage(of font: Int32?) { use(font.flatMap { fontPages[$0] } ?? documentPage) }

  private mutating func beginFieldResult() {
    guard let field = fields.last, group.destination == .text else { return }
    if field.replacesResult { group.destination = .skipped }
    guard let link = RTFField.link(in: field.instruction) else { return }
    group.character.link = tables.number(ofLink: link)
    stateChanged = true
  }

  private mutating func beginPicture() {
    guard group.destination == .text || isShapePicture else { return }
    picture = RichDocument.Image(format: .other, offset: 0, bytes: [])
    pictureNibble = nil
    group.destination = .picture
    group.end = .picture
  }

  /// Completes the content of a group at its end.
  mutating func end(_ end: RTFGroup.End) {
    switch end {
    case .none: return
    case .field: endField()
    case .box: endNote()
    case .shape: endShape()
    case .note: endNote()
    case .picture: endPicture()
    case .attachment: endAttachment()
    case .style: break
    case .commentStart, .commentEnd, .commentNumber, .commentAuthor: endReference(end)
    case .oldNumbering: oldMarker = group.paragraph.oldMarker
    case .defaults:
      defaults = FormatDefaults(
        characters: set(for: group.character).removing([.link]),
        paragraphs: set(for: group.paragraph).removing([.style]))
    }
  }

  // MARK: - Characters

  private mutating func handleCharacter(_ word: RTFWord, _ value: Int32?) -> Bool {
    let isOn = value != 0
    if let style = word.underline {
      group.character.underline = isOn ? style : UnderlineStyle.none
      stateChanged = true
      return true
    }
    switch word {
    case .b: group.character.bold = isOn
    case .i: group.character.italic = isOn
    case .ulnone: group.character.underline = UnderlineStyle.none
    case .strike: group.character.strikethrough = isOn ? .single : StrikethroughStyle.none
    case .striked: group.character.strikethrough = isOn ? .double : StrikethroughStyle.none
    case .scaps: group.character.capitals = isOn ? .small : .normal
    case .caps: group.character.capitals = isOn ? .all : .normal
    case .super: group.character.position = isOn ? .superscript : .normal
    case .sub: group.character.position = isOn ? .subscript : .normal
    case .nosupersub: group.character.position = .normal
    case .fs: group.character.size = value
    case .cf: group.character.color = value ?? 0
    case .cb, .chcbpat: group.character.background = value ?? 0
    case .highlight: group.character.mark = value ?? 0
    case .dplback:
      (group.character.mark, group.character.background) = (group.character.background, value)
    case .v: group.character.isHidden = isOn
    case .rtlch, .ltrch: group.character.isRightToLeft = word == .rtlch
    case .ab: group.character.complexBold = isOn
    case .ai: group.character.complexItalic = isOn
    case .afs: group.character.complexSize = value
    case .deleted, .mvf: setDeleted(isOn)
    case .f:
      if group.destination == .fontTable {
        tables.fontNumber = value ?? 0
        return true
      }
      group.character.font = value ?? 0
      usePage(of: value ?? 0)
    default: return false
    }
    stateChanged = true
    return true
  }

  // MARK: - Paragraphs

  private mutating func handleParagraph(_ word: RTFWord, _ value: Int32?) -> Bool {
    let number = value ?? 0
    switch word {
    case .ql: group.paragraph.alignment = .left
    case .qc: group.paragraph.alignment = .center
    case .qr: group.paragraph.alignment = .right
    case .rtlpar, .ltrpar: group.paragraph.isRightToLeft = word == .rtlpar
    case .qj, .qd: group.paragraph.alignment = .justified
    case .fi: group.paragraph.firstLineIndent = number
    case .li, .lin: group.paragraph.headIndent = number
    // RTF measures this indent inwards, so its sign is reversed.
    case .ri, .rin: group.paragraph.tailIndent = -number
    case .sl:
      group.paragraph.lineHeight = number
      group.paragraph.isMultiple = false
    case .slmult: group.paragraph.isMultiple = value != 0
    case .slminimum: group.paragraph.minimum = number
    case .slleading: group.paragraph.lineSpacing = number
    case .sb: group.paragraph.spaceBefore = number
    case .sa: group.paragraph.spaceAfter = number
    case .tqc: group.paragraph.nextStop.kind = .center
    case .tqr: group.paragraph.nextStop.kind = .right
    case .tqdec: group.paragraph.nextStop.kind = .decimal
    case .tldot: group.paragraph.nextStop.leader = .dots
    case .tlmdot: group.paragraph.nextStop.leader = .middleDots
    case .tlhyph: group.paragraph.nextStop.leader = .hyphens
    case .tlul: group.paragraph.nextStop.leader = .underline
    case .tlth: group.paragraph.nextStop.leader = .thickLine
    case .tleq: group.paragraph.nextStop.leader = .equals
    case .tx:
      group.paragraph.nextStop.position = Twips(Int(number))
      group.paragraph.addStop()
    case .dplnotabs: group.paragraph.tabStops = []
    case .ls:
      switch group.destination {
      case .listOverrideTable: tables.endOverride(number)
      default: group.paragraph.list = number
      }
    case .ilvl: group.paragraph.level = number
    case .s:
      group.paragraph.style = number
      tables.styleNumber = number
    case .intbl: group.paragraph.isInTable = value != 0
    case .pnlvlblt: group.paragraph.oldMarker = .bullet
    case .pnlvlbody, .pndec: group.paragraph.oldMarker = .decimal
    case .pnlcltr: group.paragraph.oldMarker = .lowerLetter
    case .pnucltr: group.paragraph.oldMarker = .upperLetter
    case .pnlcrm: group.paragraph.oldMarker = .lowerRoman
    case .pnucrm: group.paragraph.oldMarker = .upperRoman
    default: return false
    }
    return true
  }
}

extension RTFParagraphState {
  /// Adds the tab stop that is complete now. Stops beyond the limit are ignored.
  mutating func addStop() {
    let stop = nextStop
    nextStop = TabStop(position: Twips(0))
    var stops = tabStops ?? []
    let index = stops.firstIndex { $0.position >= stop.position } ?? stops.count
    if index < stops.count, stops[index].position == stop.position {
      stops[index] = stop
    } else if stops.count < ParagraphAttribute.tabStopLimit {
      stops.insert(stop, at: index)
    }
    tabStops = stops
  }
}
