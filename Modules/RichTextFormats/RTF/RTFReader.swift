import Model
package import RichText

/// Reads RTF written by TextEdit, Word, Google Docs, Pages, LibreOffice, Scrivener and Diple.
/// Embedded code is not executed, and links are not followed.
///
/// ```swift
/// let document = try RTFReader.read(Array("{\\rtf1 Hello, {\\b world}}".utf8))
/// document.text.string  // "Hello, world"
/// ```
///
/// The bytes are read once, without recursion. Malformed input is read as far as possible. Groups
/// nested deeper than `depthLimit` do not restore the state at their end.
package struct RTFReader {
  /// The greatest nesting depth at which groups restore the state.
  package static let depthLimit = 2_000
  /// The largest file that is read, in bytes.
  package static let sizeLimit = 512 << 20

  let bytes: [UInt8]
  var position = 0
  var group = RTFGroup()
  var stack: [RTFGroup] = []
  /// The position of the first byte of the group that was opened last.
  var groupStart = 0
  /// The number of open groups beyond `depthLimit`.
  var excess = 0
  /// The number of fallback characters still to be skipped after `\u`.
  var skipped: Int32 = 0
  /// Whether `\*` precedes the next word.
  var isOptional = false

  // State from the header.
  var page = CodePage(1_252)
  var documentPage = 1_252
  var fontPages: [Int32: Int] = [:]
  var currentPage = 1_252
  var pages: [Int: CodePage] = [:]
  var tables = RTFTables()
  /// Whether Diple wrote the file. Then inherited attributes precede `\dplown`, and the text's own
  /// follow it.
  var isOwn = false
  var isCocoa = false
  var isLibreOffice = false
  var info = RTFInfo()
  var defaults = FormatDefaults()
  /// The margins of the page. Those of other programs are for paper and aren't used.
  var margins: (left: Int32, right: Int32, top: Int32, bottom: Int32) = (-1, -1, -1, -1)

  // State of the text.
  var output = RTFOutput()
  var outer: [RTFOutput] = []
  /// Bytes of a multi-byte page that are not decoded yet.
  var pending: [UInt8] = []
  var awaitsTrail = false
  var stateChanged = false
  var characterSets: [RTFCharacterState: AttributeSet<CharacterAttribute>] = [:]
  /// The state and attributes of the last paragraph, because consecutive paragraphs are often
  /// alike.
  var knownParagraph = RTFParagraphState()
  var knownParagraphSet = AttributeSet<ParagraphAttribute>()
  var dropsAttachmentMark = false

  // State of groups with separate content.
  var fields: [RTFOpenField] = []
  /// The open shapes, the outermost first.
  var shapes: [RTFShape] = []
  var collected: [UInt16] = []
  var picture: RichDocument.Image?
  var pictureNibble: UInt8?
  var oldMarker: ListItem.Marker?
  var comments = RTFComments()
  var hiddenUnits = 0
  /// The number of parts of notes that are marked as with a highlighter.
  var markedInNotes = 0
  var skippedObjects = 0
  var badValues = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns whether the bytes start like an RTF file, after white space and a byte order mark.
  package static func recognizes(_ bytes: [UInt8]) -> Bool {
    bytes.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }.starts(with: Array("{\\rtf".utf8))
  }

  /// Returns whether Diple wrote the file, whose first word it is.
  package static func isOwn(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("{\\rtf1\\dplrtf".utf8))
  }

  /// Reads a document. O(bytes).
  ///
  /// - Throws: `RTFError` if the bytes do not start like RTF or there are more than `sizeLimit`.
  package static func read(_ bytes: [UInt8]) throws(RTFError) -> RichDocument {
    guard recognizes(bytes) else { throw RTFError("not RTF: the file does not begin with {\\rtf") }
    guard bytes.count <= sizeLimit else {
      throw RTFError("too large: \(bytes.count.counted("byte")), at most \(sizeLimit)")
    }
    var reader = RTFReader(bytes)
    reader.position = bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0
    reader.run()
    return reader.document()
  }

  // MARK: - Bytes

  private mutating func run() {
    let count = bytes.count
    while position < count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "{"):
        position += 1
        openGroup()
      case UInt8(ascii: "}"):
        position += 1
        closeGroup()
        // Bytes after the end of the document are padding.
        if stack.isEmpty, excess == 0 { return }
      case UInt8(ascii: "\\"):
        position += 1
        control()
      case 0x0A, 0x0D, 0x00: position += 1
      default: text()
      }
    }
    while !stack.isEmpty { closeGroup() }
  }

  private mutating func openGroup() {
    flush()
    skipped = 0
    isOptional = false
    if stack.count >= Self.depthLimit {
      excess += 1
      return
    }
    stack.append(group)
    group.end = .none
    groupStart = position
  }

  private mutating func closeGroup() {
    flush()
    skipped = 0
    isOptional = false
    if excess > 0 {
      excess -= 1
      return
    }
    guard let before = stack.popLast() else { return }
    if output.units.count > output.lastCount {
      (output.lastParagraph, output.lastCount) = (group.paragraph, output.units.count)
    }
    end(group.end)
    let font = group.character.font
    group = before
    if font != group.character.font { usePage(of: group.character.font ?? tables.defaultFont) }
    if let oldMarker {
      group.paragraph.oldMarker = oldMarker
      self.oldMarker = nil
    }
    stateChanged = true
  }

  /// Reads plain bytes up to the next control character, brace or line break.
  private mutating func text() {
    let start = position
    let count = bytes.count
    while position < count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
        || byte == 0x0A || byte == 0x0D || byte == 0
      {
        break
      }
      position += 1
    }
    var first = start
    if skipped > 0 {
      let count = min(Int(skipped), position - start)
      skipped -= Int32(count)
      first += count
    }
    isOptional = false
    if first < position, group.destination != .skipped { add(first..<position) }
  }

  private mutating func control() {
    guard position < bytes.count else { return }
    let byte = bytes[position]
    if byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") { return controlWord() }
    position += 1
    if byte == UInt8(ascii: "*") {
      isOptional = true
      return
    }
    if byte == UInt8(ascii: "'") { return hexByte() }
    if skipped > 0 {
      skipped -= 1
      return
    }
    if group.destination == .skipped { return }
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"): addByte(byte)
    case UInt8(ascii: "~"): addUnit(0x00A0)
    case UInt8(ascii: "_"): addUnit(0x2011)
    case UInt8(ascii: "-"): addUnit(0x00AD)
    case 0x0A, 0x0D:
      // A backslash before a line break ends a paragraph.
      if byte == 0x0D, position < bytes.count, bytes[position] == 0x0A { position += 1 }
      endParagraph()
    default: break
    }
  }

  private mutating func hexByte() {
    func nibble(_ at: Int) -> UInt8? { at < bytes.count ? Self.nibble(bytes[at]) : nil }
    guard let high = nibble(position), let low = nibble(position + 1) else { return }
    position += 2
    if skipped > 0 {
      skipped -= 1
    } else if group.destination != .skipped {
      addByte(high << 4 | low)
    }
  }

  static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  private mutating func controlWord() {
    var key = RTFWordKey()
    let count = bytes.count
    while position < count {
      let byte = bytes[position]
      guard byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") else { break }
      key.add(byte)
      position += 1
    }
    var value: Int32?
    if position < count {
      var isNegative = false
      var place = position
      if bytes[place] == UInt8(ascii: "-") {
        isNegative = true
        place += 1
      }
      if place < count, bytes[place] &- 0x30 < 10 {
        var number: Int64 = 0
        while place < count, bytes[place] &- 0x30 < 10 {
          // The limit is beyond the range of every value, but cannot overflow in calculations.
          number = min(number * 10 + Int64(bytes[place] - 0x30), 2_000_000_000)
          place += 1
        }
        value = Int32(isNegative ? -number : number)
        position = place
      }
    }
    if position < count, bytes[position] == 0x20 { position += 1 }
    let word = RTFWordTable.shared[key]
    if word == .bin {
      let length = min(Int(max(value ?? 0, 0)), bytes.count - position)
      let data = position..<position + length
      position += length
      if skipped > 0 { skipped -= 1 } else { addBinary(data) }
      return
    }
    if skipped > 0 {
      skipped -= 1
      return
    }
    let wasOptional = isOptional
    isOptional = false
    guard let word else {
      // The group is optional, and its word is unknown.
      if wasOptional { group.destination = .skipped }
      return
    }
    if word == .u {
      flush()
      if let value, group.destination != .skipped { addUnit(UInt16(truncatingIfNeeded: value)) }
      skipped = group.fallbackLength
      return
    }
    if word == .uc {
      group.fallbackLength = min(max(value ?? 1, 0), 64)
      return
    }
    if group.destination == .skipped {
      // `\ud` is the alternative in a skipped `\upr` group.
      if word == .ud, let before = group.beforeChoice {
        group.destination = before
        group.beforeChoice = nil
      }
      return
    }
    if !pending.isEmpty { flush() }
    handle(word, value, wasOptional)
  }
}
