import Model

/// Encodes the operations and texts of one part of a file. Replicas, fields and hashes that were
/// written earlier in the part are referenced by small numbers.
struct PartEncoder {
  private var writer = ByteWriter()
  private let texts: [CarriedText]
  /// The indices of the texts by their hash.
  private var textIndices: [ContentDigest: Int] = [:]
  private var units: [UTF16Index?]
  private var replicas: [ReplicaID: Int] = [:]
  /// The sequence number that was written last for each replica, by the replica's index.
  private var near: [Int64] = []
  private var fields: [String: (number: Int, field: Operation.Field)] = [:]
  private var fieldCount = 0
  private var digests: [ContentDigest: Int] = [:]
  private var previous: PreviousOperation?

  /// Whether the operations are consecutive operations of a single replica, so that their sequence
  /// numbers needn't be written.
  private let isRun: Bool
  /// The encoded texts, which precede the operations in the part.
  private var head: [UInt8] = []
  /// The number of operations written.
  private(set) var count = 0

  /// Encodes texts and operations, which must be within the format's limits.
  static func encode(_ operations: [Operation], texts: [CarriedText], isRun: Bool) -> [UInt8] {
    var encoder = PartEncoder(texts: texts, isRun: isRun)
    for operation in operations { encoder.add(operation) }
    return encoder.encoded()
  }

  /// Begins a part with texts, which must be within the format's limits.
  init(texts: [CarriedText], isRun: Bool) {
    self.texts = texts
    self.isRun = isRun
    units = Array(repeating: nil, count: texts.count)
    writeTexts()
    head = writer.bytes
    writer.removeAll()
  }

  /// Adds an operation, which must be within the format's limits. If the part is a run, the
  /// operation must follow the previous one.
  mutating func add(_ operation: Operation) {
    if isRun, count == 0 {
      replica(operation.dot.replica)
      writer.count(Int(operation.dot.sequence))
    }
    write(operation)
    count += 1
  }

  /// Returns the part with all operations that were added.
  consuming func encoded() -> [UInt8] {
    var part = ByteWriter(capacity: head.count + writer.bytes.count + 10)
    part.raw(head)
    part.byte(isRun ? 1 : 0)
    part.count(count)
    part.raw(writer.bytes)
    return part.bytes
  }

  private mutating func writeTexts() {
    writer.count(texts.count)
    for (index, text) in texts.enumerated() {
      dot(text.document.dot)
      writer.raw(text.digest.bytes)
      writer.count(text.renderVersion)
      writer.text(text.text)
      textIndices[text.digest] = index
      digests[text.digest] = digests[text.digest] ?? digests.count + 1
    }
  }

  // MARK: - Names

  /// Returns the index of a replica among those written so far. The ID of a new replica must be
  /// written after the index.
  private mutating func index(of replica: ReplicaID) -> (index: Int, isNew: Bool) {
    if let index = replicas[replica] { return (index, false) }
    let index = near.count
    replicas[replica] = index
    near.append(0)
    return (index, true)
  }

  @discardableResult
  private mutating func replica(_ replica: ReplicaID) -> Int {
    let (index, isNew) = index(of: replica)
    writer.count(index)
    if isNew { writer.fixed(replica.rawValue) }
    return index
  }

  private mutating func sequence(_ sequence: Int64, of index: Int) {
    writer.signed(sequence - near[index])
    near[index] = sequence
  }

  private mutating func dot(_ dot: Dot) { sequence(dot.sequence, of: replica(dot.replica)) }

  // MARK: - Operations

  private mutating func write(_ operation: Operation) {
    let last = previous
    let time = TimeStep(operation.time, after: last?.time)
    let isSameAct =
      last.map { $0.dot.replica == operation.dot.replica && $0.group == operation.group } ?? false
    let act: UInt8 = operation.group == operation.dot.sequence ? 0 : isSameAct ? 1 : 2
    let isSameRecord = last?.record == operation.record
    writer.byte(
      time.mode | act << 2 | (isSameRecord ? 1 << 4 : 0) | (operation.basis.isEmpty ? 0 : 1 << 5))
    if !isRun { dot(operation.dot) }
    if let difference = time.difference { writer.signed(difference) }
    if act == 2 { writer.count(Int(operation.dot.sequence - operation.group)) }
    if !isSameRecord { write(operation.record, of: operation.dot) }
    write(operation.field)
    write(operation.value)
    if !operation.basis.isEmpty {
      writer.count(operation.basis.count)
      for dot in operation.basis { self.dot(dot) }
    }
    previous = PreviousOperation(operation)
  }

  private mutating func write(_ record: RecordReference, of operation: Dot) {
    let (kind, dot): (Int, Dot)
    switch record {
    case .library: return writer.count(0)
    case .document(let id): (kind, dot) = (RecordTag.document, id.dot)
    case .highlight(let id): (kind, dot) = (RecordTag.highlight, id.dot)
    case .other(let other, let id): (kind, dot) = (other, id)
    }
    let code = kind < 3 ? kind : 3
    guard dot != operation else {
      // The record is created by this operation.
      writer.count(code | 1 << 2)
      if code == 3 { writer.byte(UInt8(kind)) }
      if let index = replicas[dot.replica] { near[index] = dot.sequence }
      return
    }
    let (index, isNew) = index(of: dot.replica)
    writer.count(code | index << 3)
    if isNew { writer.fixed(dot.replica.rawValue) }
    if code == 3 { writer.byte(UInt8(kind)) }
    sequence(dot.sequence, of: index)
  }

  private mutating func write(_ field: Operation.Field) {
    if let number = FieldTag.numbers[field] { return writer.count(number) }
    let name = field.rawValue
    // Swift considers canonically equivalent names equal, but the format doesn't.
    if let seen = fields[name], seen.field.rawValue.utf8.elementsEqual(name.utf8) {
      return writer.count(seen.number)
    }
    fields[name] = (FieldTag.firstSeen + fieldCount, field)
    fieldCount += 1
    if let (number, rest) = FieldTag.family(of: name) {
      writer.count(number)
      writer.text(rest)
    } else {
      writer.count(FieldTag.named)
      writer.text(name)
    }
  }

  private mutating func write(_ value: Operation.Value) {
    switch value {
    case .none: writer.byte(ValueTag.none)
    case .flag(let flag): writer.byte(flag ? ValueTag.yes : ValueTag.no)
    case .text(let text):
      if let known = ValueTag.knownTexts.firstIndex(of: text) {
        return writer.byte(ValueTag.firstKnownText + UInt8(known))
      }
      writer.byte(ValueTag.text)
      writer.text(text)
    case .reference(let value):
      writer.byte(ValueTag.reference)
      dot(value)
    case .selector(let selector): write(selector)
    case .other(let bytes):
      writer.byte(bytes.first ?? ValueTag.firstUnknown)
      writer.count(max(0, bytes.count - 1))
      writer.raw(bytes.dropFirst())
    }
  }

  // MARK: - Selectors

  private mutating func write(_ selector: Selector) {
    if let (index, before, after) = place(of: selector) {
      writer.byte(ValueTag.selectorInText)
      writer.count(index)
      writer.count(selector.position.utf16.lowerBound)
      writer.count(selector.position.utf16.count)
      writer.count(before)
      writer.count(after)
      return
    }
    writer.byte(ValueTag.selector)
    // The three parts are adjacent, as in their text, so that they compress well if the next
    // selector has the same words.
    let parts = [selector.prefix, selector.exact, selector.suffix]
    for part in parts { writer.count(part.utf8.count) }
    for part in parts { writer.raw(part.utf8) }
    writer.count(selector.position.utf16.lowerBound)
    writer.count(selector.position.utf16.count)
    writer.count(selector.renderVersion)
    guard let digest = selector.textDigest else { return writer.count(0) }
    if let number = digests[digest] { return writer.count(number) }
    digests[digest] = digests.count + 1
    writer.count(digests.count)
    writer.raw(digest.bytes)
  }

  /// Returns the index of a carried text that contains the selector's quote and context exactly at
  /// the selector's position. `before` and `after` are the numbers of UTF-16 units of the context.
  /// Nil if no carried text contains them.
  private mutating func place(of selector: Selector) -> (text: Int, before: Int, after: Int)? {
    guard let digest = selector.textDigest, let index = textIndices[digest],
      texts[index].renderVersion == selector.renderVersion
    else { return nil }
    if units[index] == nil { units[index] = UTF16Index(texts[index].text) }
    guard let text = units[index] else { return nil }
    let range = selector.position.utf16
    let (before, after) = (selector.prefix.utf16.count, selector.suffix.utf16.count)
    guard before <= range.lowerBound, range.upperBound <= text.count - after,
      text.has(selector.exact, at: range),
      text.has(selector.prefix, at: range.lowerBound - before..<range.lowerBound),
      text.has(selector.suffix, at: range.upperBound..<range.upperBound + after)
    else { return nil }
    return (index, before, after)
  }
}

/// The parts of an operation to which the next one refers.
struct PreviousOperation {
  let dot: Dot
  let time: Timestamp
  let group: Int64
  let record: RecordReference

  init(_ operation: Operation) {
    (dot, time, group) = (operation.dot, operation.time, operation.group)
    record = operation.record
  }
}

/// The encoding of a time relative to the previous operation's time.
struct TimeStep {
  /// 0: a difference in milliseconds; the counter is 0. 1: the next packed value. 2: a difference
  /// of the packed values. 3: the same time.
  var mode: UInt8
  var difference: Int64?

  init(_ time: Timestamp, after last: Timestamp?) {
    let last = last ?? Timestamp(packed: 0)
    if time == last {
      mode = 3
    } else if time.packed == last.packed + 1 {
      mode = 1
    } else if time.counter == 0 {
      (mode, difference) = (0, time.milliseconds - last.milliseconds)
    } else {
      (mode, difference) = (2, time.packed - last.packed)
    }
  }
}
