import Model

/// Decodes parts that `PartEncoder` wrote.
///
/// Any device may have written the bytes. Time and memory are bounded by the number of bytes and
/// the limits of the format, and encodings that don't represent a valid operation are refused with
/// `SegmentError`.
struct PartDecoder {
  private var reader: ByteReader
  private var texts: [CarriedText] = []
  private var units: [UTF16Index?] = []
  private var replicas: [ReplicaID] = []
  private var replicaIndices: [ReplicaID: Int] = [:]
  private var near: [Int64] = []
  private var fields: [Operation.Field] = []
  private var digests: [ContentDigest] = []
  private var previous: PreviousOperation?
  /// The total size of all operations and texts in bytes. Selectors that refer to a text make it
  /// much larger than the encoded part.
  private var size = 0

  static func decode(_ bytes: [UInt8], from start: Int = 0) throws(SegmentError) -> (
    operations: [Operation], texts: [CarriedText], isRun: Bool
  ) {
    var decoder = PartDecoder(reader: ByteReader(bytes, in: start..<bytes.count))
    try decoder.readTexts()
    let isRun = try decoder.flag()
    // An operation takes at least four bytes.
    let count = try decoder.reader.count(
      upTo: min(Wire.operationCountLimit, decoder.reader.left / 4), "the count of operations")
    var next: Dot?
    if isRun, count > 0 {
      let replica = try decoder.replica()
      let sequence = try decoder.reader.count(
        upTo: Int(Wire.sequenceLimit) - count, "a sequence number")
      guard sequence > 0 else { throw .badContent("a sequence number is 0") }
      next = Dot(replica: decoder.replicas[replica], sequence: Int64(sequence))
    }
    var operations: [Operation] = []
    operations.reserveCapacity(count)
    for _ in 0..<count {
      operations.append(try decoder.operation(next))
      next?.sequence += 1
    }
    try decoder.reader.finish()
    return (operations, decoder.texts, isRun)
  }

  private init(reader: ByteReader) { self.reader = reader }

  private mutating func take(_ bytes: Int) throws(SegmentError) {
    size += bytes
    guard size <= Wire.plainLimit else { throw .tooLarge(size: size, limit: Wire.plainLimit) }
  }

  private mutating func flag() throws(SegmentError) -> Bool {
    let value = try reader.byte()
    guard value < 2 else { throw .badContent("a flag is \(value)") }
    return value == 1
  }

  private mutating func readTexts() throws(SegmentError) {
    // A text with its attributes takes at least 36 bytes.
    let count = try reader.count(upTo: reader.left / 36, "the count of texts")
    var known: Set<ContentDigest> = []
    for _ in 0..<count {
      let document = Document.ID(try dot())
      let digest = try digest()
      let version = try reader.count(upTo: Wire.renderVersionLimit, "a version of the rendering")
      let text = try reader.text(upTo: Wire.textLimit, "a text")
      try take(text.utf8.count)
      texts.append(
        CarriedText(document: document, digest: digest, renderVersion: version, text: text))
      if known.insert(digest).inserted { digests.append(digest) }
    }
    units = Array(repeating: nil, count: count)
  }

  // MARK: - Names

  private mutating func digest() throws(SegmentError) -> ContentDigest {
    guard let digest = ContentDigest(bytes: Array(try reader.raw(32))) else {
      throw .badContent("a hash is not valid")
    }
    return digest
  }

  /// Returns the index of the replica with `number`. The ID of a new replica follows in eight
  /// bytes.
  private mutating func replica(_ number: Int) throws(SegmentError) -> Int {
    guard number <= replicas.count else { throw .badContent("there is no replica \(number)") }
    if number == replicas.count {
      let replica = ReplicaID(rawValue: try reader.fixed())
      guard replicaIndices.updateValue(number, forKey: replica) == nil else {
        throw .badContent("a replica is named twice")
      }
      replicas.append(replica)
      near.append(0)
    }
    return number
  }

  private mutating func replica() throws(SegmentError) -> Int {
    try replica(try reader.count(upTo: replicas.count, "the number of a replica"))
  }

  private mutating func dot() throws(SegmentError) -> Dot { try dot(of: try replica()) }

  private mutating func dot(of index: Int) throws(SegmentError) -> Dot {
    let sequence = near[index] &+ (try reader.signed())
    guard (1...Wire.sequenceLimit).contains(sequence) else {
      throw .badContent("\(sequence) is not a sequence number")
    }
    near[index] = sequence
    return Dot(replica: replicas[index], sequence: sequence)
  }

  // MARK: - Operations

  /// Decodes the next operation.
  ///
  /// - Parameter known: The operation's dot if it isn't written, as in a run; nil if it is.
  private mutating func operation(_ known: Dot?) throws(SegmentError) -> Operation {
    let head = try reader.byte()
    guard head < 1 << 6 else { throw .badContent("an operation begins with \(head)") }
    var dot: Dot
    if let known { dot = known } else { dot = try self.dot() }
    let time = try time(mode: head & 3)
    let group = try group(mode: head >> 2 & 3, of: dot)
    let record: RecordReference
    if head & 1 << 4 != 0 {
      guard let previous else { throw .badContent("the first operation has no record") }
      record = previous.record
    } else {
      record = try self.record(of: dot)
    }
    let field = try field()
    let value = try value()
    var basis: [Dot] = []
    if head & 1 << 5 != 0 {
      let count = try reader.count(upTo: Wire.basisLimit, "the count of known operations")
      guard count > 0 else { throw .badContent("the count of known operations is 0") }
      for _ in 0..<count { basis.append(try self.dot()) }
    }
    let operation = Operation(
      dot: dot, time: time, group: group, record: record, field: field, value: value, basis: basis)
    try operation.checkLimits()
    try take(operation.canonicalSize)
    previous = PreviousOperation(operation)
    return operation
  }

  private mutating func time(mode: UInt8) throws(SegmentError) -> Timestamp {
    let last = previous?.time ?? Timestamp(packed: 0)
    switch mode {
    case 0:
      let milliseconds = last.milliseconds &+ (try reader.signed())
      guard (0..<1 << 47).contains(milliseconds) else {
        throw .badContent("a time is out of range")
      }
      return Timestamp(milliseconds: milliseconds)
    case 1: return Timestamp(packed: last.packed &+ 1)
    case 2: return Timestamp(packed: last.packed &+ (try reader.signed()))
    default: return last
    }
  }

  private mutating func group(mode: UInt8, of dot: Dot) throws(SegmentError) -> Int64 {
    switch mode {
    case 0: return dot.sequence
    case 1:
      guard let previous, previous.dot.replica == dot.replica else {
        throw .badContent("an operation continues a group of another replica")
      }
      return previous.group
    case 2:
      let limit = Int(clamping: dot.sequence - 1)
      return dot.sequence - Int64(try reader.count(upTo: limit, "the distance to a group"))
    default: throw .badContent("the group of an operation has an unknown encoding")
    }
  }

  private mutating func record(of operation: Dot) throws(SegmentError) -> RecordReference {
    let code = try reader.count(upTo: replicas.count << 3 | 7, "the code of a record")
    if code == 0 { return .library }
    let kind = code & 3
    let isOwn = code & 1 << 2 != 0
    guard kind != 0, !isOwn || code < 8 else {
      throw .badContent("the code of a record is \(code)")
    }
    var index = 0
    if !isOwn { index = try replica(code >> 3) }
    let other = kind == 3 ? Int(try reader.byte()) : kind
    let dot: Dot
    if isOwn {
      dot = operation
      if let index = replicaIndices[operation.replica] { near[index] = operation.sequence }
    } else {
      dot = try self.dot(of: index)
    }
    switch kind {
    case RecordTag.document: return .document(Document.ID(dot))
    case RecordTag.highlight: return .highlight(Highlight.ID(dot))
    default: return .other(kind: other, dot: dot)
    }
  }

  private mutating func field() throws(SegmentError) -> Operation.Field {
    let code = try reader.count(
      upTo: FieldTag.firstSeen + fields.count, "the number of a field")
    if code >= FieldTag.firstSeen {
      guard code - FieldTag.firstSeen < fields.count else {
        throw .badContent("there is no field \(code)")
      }
      return fields[code - FieldTag.firstSeen]
    }
    if (FieldTag.firstKnown..<FieldTag.firstKnown + FieldTag.known.count).contains(code) {
      return FieldTag.known[code - FieldTag.firstKnown]
    }
    let family: String
    if code == FieldTag.named {
      family = ""
    } else if FieldTag.families.indices.contains(code - FieldTag.firstFamily) {
      family = FieldTag.families[code - FieldTag.firstFamily]
    } else {
      throw .badContent("there is no field \(code)")
    }
    let name = family + (try reader.text(upTo: Wire.nameLimit, "the name of a field"))
    let field = Operation.Field(rawValue: name)
    // Each field has exactly one encoding.
    guard
      code != FieldTag.named
        || FieldTag.family(of: name) == nil && FieldTag.numbers[field] == nil
    else { throw .badContent("the field '\(name)' has a number") }
    fields.append(field)
    return field
  }

  private mutating func value() throws(SegmentError) -> Operation.Value {
    let tag = try reader.byte()
    switch tag {
    case ValueTag.none: return .none
    case ValueTag.no: return .flag(false)
    case ValueTag.yes: return .flag(true)
    case ValueTag.text:
      let text = try reader.text(upTo: Wire.operationLimit, "a text")
      guard !ValueTag.knownTexts.contains(text) else {
        throw .badContent("the text '\(text)' has a number")
      }
      return .text(text)
    case ValueTag.reference: return .reference(try dot())
    case ValueTag.selector: return .selector(try selector())
    case ValueTag.selectorInText: return .selector(try selectorInText())
    case ValueTag.firstUnknown...:
      let count = try reader.count(upTo: Wire.operationLimit, "the size of a value")
      return .other([tag] + (try reader.raw(count)))
    default:
      let known = Int(tag) - Int(ValueTag.firstKnownText)
      guard ValueTag.knownTexts.indices.contains(known) else {
        throw .badContent("there is no kind of value \(tag)")
      }
      return .text(ValueTag.knownTexts[known])
    }
  }

  // MARK: - Selectors

  private mutating func selector() throws(SegmentError) -> Selector {
    var sizes = (0, 0, 0)
    sizes.0 = try reader.count(upTo: Wire.quoteLimit, "the size of a quote")
    sizes.1 = try reader.count(upTo: Wire.quoteLimit, "the size of a quote")
    sizes.2 = try reader.count(upTo: Wire.quoteLimit, "the size of a quote")
    let prefix = try words(sizes.0)
    let exact = try words(sizes.1)
    let suffix = try words(sizes.2)
    let start = try reader.count(upTo: Wire.offsetLimit, "the start of a range")
    let length = try reader.count(upTo: Wire.offsetLimit - start, "the length of a range")
    let version = try reader.count(upTo: Wire.renderVersionLimit, "a version of the rendering")
    let number = try reader.count(upTo: digests.count + 1, "the number of a hash")
    if number > digests.count { digests.append(try digest()) }
    return Selector(
      exact: exact, prefix: prefix, suffix: suffix,
      position: TextRange(utf16: start..<start + length),
      textDigest: number == 0 ? nil : digests[number - 1], renderVersion: version)
  }

  private mutating func words(_ size: Int) throws(SegmentError) -> String {
    guard let words = String(validating: try reader.raw(size), as: UTF8.self) else {
      throw .badContent("a quote is not UTF-8")
    }
    return words
  }

  private mutating func selectorInText() throws(SegmentError) -> Selector {
    guard !texts.isEmpty else { throw .badContent("a quote refers to a missing text") }
    let index = try reader.count(upTo: texts.count - 1, "the number of a text")
    if units[index] == nil { units[index] = UTF16Index(texts[index].text) }
    guard let text = units[index] else { throw .badContent("a quote refers to a missing text") }
    let start = try reader.count(upTo: text.count, "the start of a range")
    let length = try reader.count(upTo: text.count - start, "the length of a range")
    let before = try reader.count(upTo: start, "the length of a prefix")
    let after = try reader.count(upTo: text.count - start - length, "the length of a suffix")
    for count in [length, before, after] where count > Wire.quoteLimit {
      throw .tooLarge(size: count, limit: Wire.quoteLimit)
    }
    return Selector(
      exact: try Self.words(text.bytes(start..<start + length)),
      prefix: try Self.words(text.bytes(start - before..<start)),
      suffix: try Self.words(text.bytes(start + length..<start + length + after)),
      position: TextRange(utf16: start..<start + length), textDigest: texts[index].digest,
      renderVersion: texts[index].renderVersion)
  }

  private static func words(_ bytes: ArraySlice<UInt8>?) throws(SegmentError) -> String {
    guard let bytes else { throw .badContent("a quote begins or ends within a character") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
