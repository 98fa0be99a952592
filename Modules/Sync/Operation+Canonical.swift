import Model

/// The numbers of the kinds of values. Numbers from `firstUnknown` on are reserved for newer
/// versions: the number of bytes and the bytes themselves follow, and are kept unchanged.
enum ValueTag {
  static let none: UInt8 = 0
  static let no: UInt8 = 1
  static let yes: UInt8 = 2
  static let text: UInt8 = 3
  static let reference: UInt8 = 4
  static let selector: UInt8 = 5
  /// A selector whose quote is a range of a text in the same part. Not used in the canonical form.
  static let selectorInText: UInt8 = 6
  /// The first of `knownTexts`. Not used in the canonical form.
  static let firstKnownText: UInt8 = 16
  static let firstUnknown: UInt8 = 64

  /// Texts that are written as a single byte, from `firstKnownText` on.
  static let knownTexts = ["yellow", "green", "blue", "pink", ""]
}

/// The numbers of the kinds of records. Numbers from 4 to 99 are reserved for newer versions.
enum RecordTag {
  static let library = 0
  static let document = 1
  static let highlight = 2
  static let unknown = 4...99
}

extension ByteWriter {
  /// Writes an operation in its canonical form, which depends on no other operation and is hashed
  /// into the replica's chain. It doesn't include the previous value, which is known only locally.
  mutating func canonical(_ operation: Operation) {
    dot(operation.dot)
    fixed(operation.time.packed)
    varint(UInt64(bitPattern: operation.group))
    switch operation.record {
    case .library: byte(UInt8(RecordTag.library))
    case .document(let id):
      byte(UInt8(RecordTag.document))
      dot(id.dot)
    case .highlight(let id):
      byte(UInt8(RecordTag.highlight))
      dot(id.dot)
    case .other(let kind, let record):
      byte(UInt8(truncatingIfNeeded: kind))
      dot(record)
    }
    text(operation.field.rawValue)
    switch operation.value {
    case .none: byte(ValueTag.none)
    case .flag(let flag): byte(flag ? ValueTag.yes : ValueTag.no)
    case .text(let value):
      byte(ValueTag.text)
      text(value)
    case .reference(let value):
      byte(ValueTag.reference)
      dot(value)
    case .selector(let selector):
      byte(ValueTag.selector)
      for part in [selector.prefix, selector.exact, selector.suffix] { text(part) }
      count(selector.position.utf16.lowerBound)
      count(selector.position.utf16.count)
      byte(selector.textDigest == nil ? 0 : 1)
      if let digest = selector.textDigest { raw(digest.bytes) }
      varint(UInt64(bitPattern: Int64(selector.renderVersion)))
    case .other(let value):
      byte(value.first ?? 0)
      count(max(0, value.count - 1))
      raw(value.dropFirst())
    }
    count(operation.basis.count)
    for dot in operation.basis { self.dot(dot) }
  }
}

extension Operation {
  /// The approximate size of the canonical form in bytes. O(size).
  var canonicalSize: Int {
    let size: Int =
      switch value {
      case .text(let text): text.utf8.count
      case .selector(let selector):
        selector.prefix.utf8.count + selector.exact.utf8.count + selector.suffix.utf8.count
      case .other(let bytes): bytes.count
      case .none, .flag, .reference: 0
      }
    // The other parts have a fixed upper bound; the total needn't be exact.
    return size + field.rawValue.utf8.count + 18 * basis.count + 128
  }

  /// Checks the operation against the limits that every reader enforces.
  ///
  /// - Throws: `SegmentError.quoteTooLong` or `.operationTooLarge` if a part exceeds its limit in
  ///   `Wire`, `.badContent` if a number is out of range or a name is empty or invalid.
  func checkLimits() throws(SegmentError) {
    func fail(_ what: String) -> SegmentError { .badContent("operation \(dot): \(what)") }
    func check(_ dot: Dot) throws(SegmentError) {
      guard (1...Wire.sequenceLimit).contains(dot.sequence) else {
        throw fail("\(dot.sequence) is not a sequence number")
      }
    }
    try check(dot)
    guard (0...Wire.timeLimit).contains(time.packed) else { throw fail("its time is out of range") }
    guard (1...dot.sequence).contains(group) else { throw fail("its group is out of range") }
    switch record {
    case .library: break
    case .document(let id): try check(id.dot)
    case .highlight(let id): try check(id.dot)
    case .other(let kind, let record):
      guard RecordTag.unknown.contains(kind) else { throw fail("its record is of kind \(kind)") }
      try check(record)
    }
    guard !field.rawValue.isEmpty, field.rawValue.utf8.count <= Wire.nameLimit else {
      throw fail("the name of its field is empty or too long")
    }
    if let tag = field.tag, tag.isEmpty || tag.utf8.contains(0x1F) {
      throw fail("the name of its tag is not valid")
    }
    guard basis.count <= Wire.basisLimit else { throw fail("it refers to too many others") }
    for dot in basis { try check(dot) }
    switch value {
    case .none, .flag, .text: break
    case .reference(let dot): try check(dot)
    case .selector(let selector): try checkLimits(of: selector)
    case .other(let bytes):
      guard let first = bytes.first, first >= ValueTag.firstUnknown else {
        throw fail("the kind of its value is invalid")
      }
    }
    let size = canonicalSize
    guard size <= Wire.operationLimit else {
      throw .operationTooLarge(dot, size: size, limit: Wire.operationLimit)
    }
  }

  private func checkLimits(of selector: Selector) throws(SegmentError) {
    for part in [selector.prefix, selector.exact, selector.suffix]
    where part.utf8.count > Wire.quoteLimit {
      throw .quoteTooLong(dot, size: part.utf8.count, limit: Wire.quoteLimit)
    }
    guard selector.position.utf16.upperBound <= Wire.offsetLimit,
      (0...Wire.renderVersionLimit).contains(selector.renderVersion)
    else { throw .badContent("operation \(dot): its position is out of range") }
  }
}
