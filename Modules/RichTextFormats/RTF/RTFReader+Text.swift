import Model
import RichText

/// Adding characters to the destination of the current group.
extension RTFReader {
  /// The maximum number of UTF-16 units that are kept of a name or a field's instruction.
  private static let collectedLimit = 65_536
  /// The maximum number of UTF-16 units of a style's id: two for each of its up to 64 characters.
  private static let styleIDLimit = 2 * 64

  /// Adds plain bytes to the destination of the group.
  mutating func add(_ range: Range<Int>) {
    switch group.destination {
    case .text:
      if pending.isEmpty, addASCII(range) { return }
      for index in range { addByte(bytes[index]) }
    case .picture:
      addHexadecimal(range)
    case .fontTable, .styleSheet:
      // Only an unescaped semicolon ends a name.
      for index in range {
        if bytes[index] == UInt8(ascii: ";") { endName() } else { addByte(bytes[index]) }
      }
    default: for index in range { addByte(bytes[index]) }
    }
  }

  /// Adds bytes if all of them are ASCII, which is equal in all supported code pages. Returns false
  /// otherwise.
  private mutating func addASCII(_ range: Range<Int>) -> Bool {
    var all: UInt8 = 0
    for index in range { all |= bytes[index] }
    guard all < 0x80 else { return false }
    beginText()
    if group.character.isDeleted { return true }
    if group.character.isHidden {
      hiddenUnits += range.count
      return true
    }
    dropsAttachmentMark = false
    for index in range { output.units.append(UInt16(bytes[index])) }
    return true
  }

  /// Adds a byte of the current code page to the destination of the group.
  mutating func addByte(_ byte: UInt8) {
    switch group.destination {
    case .skipped: return
    case .picture: return addNibble(byte)
    case .colorTable:
      if byte == UInt8(ascii: ";") { tables.endColor() }
      return
    default: break
    }
    if awaitsTrail {
      pending.append(byte)
      awaitsTrail = false
    } else if byte < 0x80 {
      if !pending.isEmpty { flush() }
      addUnit(UInt16(byte))
    } else if let table = page.table {
      // This character represents the picture before it and is not text.
      if dropsAttachmentMark, byte == 0xAC {
        dropsAttachmentMark = false
        return
      }
      addUnit(table[Int(byte)])
    } else {
      pending.append(byte)
      awaitsTrail = !(documentIsJapanese && (0xA1...0xDF).contains(byte))
    }
  }

  private var documentIsJapanese: Bool { currentPage == 932 || currentPage == 10_001 }

  /// Decodes the pending bytes of a multi-byte page.
  mutating func flush() {
    awaitsTrail = false
    if pending.isEmpty { return }
    let units = page.decode(pending)
    pending.removeAll(keepingCapacity: true)
    for unit in units { addUnit(unit) }
  }

  /// Adds a UTF-16 unit to the destination of the group.
  mutating func addUnit(_ unit: UInt16) {
    switch group.destination {
    case .text:
      beginText()
      if group.character.isDeleted { return }
      if group.character.isHidden {
        hiddenUnits += 1
        return
      }
      dropsAttachmentMark = false
      // Only control words end paragraphs, so other terminators become line separators.
      output.units.append(unit == 0x0A || unit == 0x0D || unit == 0x2029 ? 0x2028 : unit)
    case .instruction:
      guard let last = fields.indices.last,
        fields[last].instruction.count < Self.collectedLimit
      else { return }
      fields[last].instruction.append(unit)
    case .fontTable, .styleSheet, .attachment, .reference:
      if collected.count < Self.collectedLimit { collected.append(unit) }
    case .styleID:
      if tables.styleID.count < Self.styleIDLimit { tables.styleID.append(unit) }
    case .shapeProperty, .shapeValue, .formItem: addDetail(unit)
    case .property: info.add(unit)
    default: break
    }
  }

  /// Ends the open run of characters if the character state has changed.
  private mutating func beginText() {
    guard stateChanged else { return }
    stateChanged = false
    guard group.character != output.runState else { return }
    endRun()
    output.runState = group.character
  }

  /// Ends the open run of characters.
  mutating func endRun() {
    let end = output.units.count
    if output.runStart < end {
      output.layer.characters.append(output.runStart..<end, set(for: output.runState))
      addMarked(output.runStart..<end)
    }
    output.runStart = end
  }

  /// Adds U+FFFC, which represents a note or a picture, and returns its offset.
  private mutating func addMark() -> Int {
    beginText()
    output.units.append(0xFFFC)
    return output.units.count - 1
  }

  // MARK: - Paragraphs and tables

  /// Ends a paragraph. In a table cell it ends only a line, because a row is one paragraph.
  mutating func endParagraph() {
    guard group.destination == .text else { return }
    beginText()
    if group.character.isDeleted || output.isEndDeleted {
      output.isEndDeleted = false
      return
    }
    if group.paragraph.isInTable {
      output.units.append(0x2028)
      return
    }
    // A paragraph that contains only boxes isn't empty in its document.
    if output.boxes.isEmpty || output.paragraphStart < output.units.count {
      output.units.append(0x0A)
      closeParagraph()
    }
    addBoxes()
  }

  /// Applies the paragraph state to the paragraph that ends here.
  mutating func closeParagraph() {
    let range = output.paragraphStart..<output.units.count
    if group.paragraph != knownParagraph {
      (knownParagraph, knownParagraphSet) = (group.paragraph, set(for: group.paragraph))
    }
    output.layer.paragraphs.append(range, knownParagraphSet)
    output.paragraphStart = range.upperBound
  }

  /// Ends a cell with a tab, since a row is one paragraph with tabs between its cells.
  mutating func endCell() {
    guard group.destination == .text else { return }
    beginText()
    // A paragraph end directly before the end of the cell does not add an empty line.
    if output.units.count > output.paragraphStart, output.units.last == 0x2028 {
      output.units[output.units.count - 1] = 0x09
    } else {
      output.units.append(0x09)
    }
  }

  /// Ends a row. The tab after its last cell is replaced by the terminator.
  mutating func endRow(isNested: Bool) {
    guard group.destination == .text else { return }
    beginText()
    let terminator: UInt16 = isNested ? 0x2028 : 0x0A
    if output.units.count > output.paragraphStart, output.units.last == 0x09 {
      output.units[output.units.count - 1] = terminator
    } else {
      output.units.append(terminator)
    }
    if isNested { return }
    let start = output.paragraphStart
    closeParagraph()
    output.rows.append(start..<output.units.count)
    addBoxes()
  }

  // MARK: - Notes and pictures

  /// Starts the separate text of a note.
  mutating func beginNote(_ kind: RichDocument.Note.Kind) {
    guard group.destination == .text, group.end != .note, outer.count < 16 else { return }
    beginText()
    let mark = output.units.count
    outer.append(output)
    output = RTFOutput()
    output.kind = kind
    output.mark = mark
    group.end = .note
    group.paragraph = RTFParagraphState()
    group.character = RTFCharacterState()
    stateChanged = true
  }

  mutating func endNote() {
    guard let before = outer.popLast() else { return }
    if output.isBox { return endBox(in: before) }
    finishText()
    let note = RichDocument.Note(
      kind: output.kind ?? .footnote, offset: output.mark,
      text: AttributedText(units: output.units, layer: output.layer))
    let number = output.number
    markedInNotes += output.marked.count
    // Notes and pictures inside a note are not supported.
    skippedObjects += output.notes.count + output.images.count
    output = before
    stateChanged = true
    if note.kind == .comment, takeHighlight(note, number) { return }
    // The mark has the attributes of the text around it.
    output.units.append(0xFFFC)
    // Passages in boxes are unknown.
    if let number, outer.isEmpty { comments.numbers[output.notes.count] = number }
    output.notes.append(note)
  }

  /// Ends the open run and the open paragraph.
  mutating func finishText() {
    if output.paragraphStart < output.units.count {
      if output.lastCount == output.units.count { group.paragraph = output.lastParagraph }
      if !output.boxes.isEmpty, output.units.last != 0x0A { output.units.append(0x0A) }
      endRun()
      closeParagraph()
    }
    endRun()
    addBoxes()
  }

  mutating func endPicture() {
    guard var image = picture else { return }
    picture = nil
    pictureNibble = nil
    group.destination = .text
    image.offset = addMark()
    output.images.append(image)
    markShape()
  }

  mutating func endAttachment() {
    group.destination = .text
    // Blanks inside a file name belong to it; those around it belong to the RTF.
    let letters = collected.filter { $0 != 0 }.drop { $0 == 0x20 }
    let count = letters.reversed().drop { $0 == 0x20 }.count
    let name = String(units: letters.prefix(count))
    collected = []
    let image = RichDocument.Image(
      format: .other, offset: addMark(), bytes: [],
      file: name.isEmpty ? nil : name)
    output.images.append(image)
    dropsAttachmentMark = true
  }

  private mutating func addHexadecimal(_ range: Range<Int>) {
    for index in range { addNibble(bytes[index]) }
  }

  private mutating func addNibble(_ byte: UInt8) {
    guard let nibble = Self.nibble(byte) else { return }
    if let high = pictureNibble {
      picture?.bytes.append(high << 4 | nibble)
      pictureNibble = nil
    } else {
      pictureNibble = nibble
    }
  }

  mutating func addBinary(_ range: Range<Int>) {
    if group.destination == .picture { picture?.bytes += bytes[range] }
  }
}
