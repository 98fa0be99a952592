import RichText

/// A shape that is being read: a text box, a picture or a drawing.
struct RTFShape {
  /// The name of the last property.
  var property: [UInt16] = []
  /// The words that are drawn as a shape.
  var words: [UInt16] = []
  /// Whether a text or picture of the shape was read. Then its alternative for older programs is
  /// skipped.
  var hasContent = false
}

/// Reading shapes. The text of a box follows the paragraph in which the box is anchored, so that it
/// doesn't interrupt a sentence; a picture is at its anchor.
extension RTFReader {
  private static let shapeLimit = 64
  private static let wordsLimit = 65_536
  private static let picture = Array("pib".utf16)
  private static let drawnWords = Array("gtextUNICODE".utf16)

  /// Whether a picture here is the content of a shape.
  var isShapePicture: Bool {
    group.destination == .shape && shapes.last?.property == Self.picture
  }

  mutating func handleShape(_ word: RTFWord) {
    let isInside = group.destination == .shape
    switch word {
    case .shp, .shpgrp:
      guard isInside || group.destination == .text, group.end == .none,
        shapes.count < Self.shapeLimit
      else { return }
      shapes.append(RTFShape())
      group.end = .shape
    case .shpinst, .do: if group.destination == .text { group.destination = .shape }
    case .sp: if isInside, !shapes.isEmpty { shapes[shapes.count - 1].property = [] }
    case .sn: if isInside, !shapes.isEmpty { group.destination = .shapeProperty }
    case .sv:
      if isInside, shapes.last?.property == Self.drawnWords { group.destination = .shapeValue }
    case .shptxt, .dptxbxtext: if isInside { beginBox() }
    case .shprslt: if shapes.last?.hasContent == true { group.destination = .skipped }
    default: break
    }
  }

  /// Adds a unit to a property of a shape or to an item of a form field.
  mutating func addDetail(_ unit: UInt16) {
    switch group.destination {
    case .shapeProperty:
      guard let last = shapes.indices.last, shapes[last].property.count < 64 else { return }
      shapes[last].property.append(unit)
    case .shapeValue:
      guard let last = shapes.indices.last, shapes[last].words.count < Self.wordsLimit else {
        return
      }
      shapes[last].words.append(unit)
    case .formItem: if !fields.isEmpty { fields[fields.count - 1].form?.add(unit) }
    default: break
    }
  }

  /// Notes that the innermost shape has a text or picture.
  mutating func markShape() {
    if let last = shapes.indices.last { shapes[last].hasContent = true }
  }

  /// Starts the separate text of a box.
  private mutating func beginBox() {
    guard group.end == .none, outer.count < 16 else { return }
    endRun()
    outer.append(output)
    output = RTFOutput()
    output.isBox = true
    group.end = .box
    group.destination = .text
    group.paragraph = RTFParagraphState()
    group.character = RTFCharacterState()
    stateChanged = true
  }

  /// Ends the text of a box in the text around it.
  mutating func endBox(in before: RTFOutput) {
    if output.paragraphStart < output.units.count {
      if output.lastCount == output.units.count { group.paragraph = output.lastParagraph }
      output.units.append(0x0A)
    }
    finishText()
    let box = output
    output = before
    stateChanged = true
    if box.units.allSatisfy({ $0 == 0x0A || $0 == 0x20 }) { return }
    output.boxes.append(box)
    markShape()
  }

  /// Ends a shape. Its drawn words are its text if it has no other.
  mutating func endShape() {
    guard let shape = shapes.popLast() else { return }
    if shape.hasContent { return markShape() }
    guard shape.words.contains(where: { $0 != 0x20 }), !group.character.isDeleted else { return }
    var box = RTFOutput()
    box.units = shape.words + [0x0A]
    box.layer.characters.append(0..<box.units.count, set(for: RTFCharacterState()))
    box.layer.paragraphs.append(0..<box.units.count, set(for: RTFParagraphState()))
    output.boxes.append(box)
    markShape()
  }

  /// Adds the texts of the boxes whose paragraph has ended.
  mutating func addBoxes() {
    if output.boxes.isEmpty { return }
    endRun()
    let boxes = output.boxes
    output.boxes = []
    for box in boxes { output.append(box) }
    output.runStart = output.units.count
    output.paragraphStart = output.units.count
  }

  /// Starts or ends a tracked deletion.
  ///
  /// LibreOffice marks the last run of a paragraph whose end is deleted as deleted, too. In its files
  /// the word for a deleted run is the first of the run's group, and that for an end isn't.
  mutating func setDeleted(_ isOn: Bool) {
    if isLibreOffice, isOn, position > groupStart + "\\deleted ".utf8.count {
      output.isEndDeleted = true
    } else {
      group.character.isDeleted = isOn
    }
  }
}

extension RTFOutput {
  /// Appends a complete text with its notes, pictures and tables.
  fileprivate mutating func append(_ other: RTFOutput) {
    let shift = units.count
    func shifted(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound + shift..<range.upperBound + shift
    }
    units += other.units
    other.layer.characters.forEach(in: 0..<other.units.count) {
      layer.characters.append(shifted($0), $1)
    }
    other.layer.paragraphs.forEach(in: 0..<other.units.count) {
      layer.paragraphs.append(shifted($0), $1)
    }
    notes += other.notes.map { $0.moved(by: shift) }
    images += other.images.map { $0.moved(by: shift) }
    rows += other.rows.map(shifted)
    marked += other.marked.map { (shifted($0.range), $0.color) }
  }
}
