import FoundationEssentials
import Interchange
import Model

/// One annotation of the W3C's model as JSON, read as records and changed to match a record. Parts
/// that Diple doesn't know stay as they are.
struct WebAnnotationObject {
  private(set) var value: JSONValue

  /// Accepts a value whose type is `Annotation` and that has a target; nil for any other value.
  init?(_ value: JSONValue) {
    guard value["type"].values.contains(.text("Annotation")), value["target"] != .null else {
      return nil
    }
    self.value = value
  }

  /// The largest number of targets of an annotation that the records keep as a whole. Each record
  /// keeps the whole annotation, with `null` for the other targets.
  private static let mostTargets = 64

  // MARK: - Reading

  /// The records, one for each target of the annotation.
  var records: [AnnotationRecord] {
    let targets = value["target"].values
    return targets.indices.compactMap { index in
      var record = record(of: targets[index])
      if targets.count == 1 {
        record?.object = value
      } else if targets.count <= Self.mostTargets {
        let own = targets.indices.map { $0 == index ? targets[index] : .null }
        record?.object = value.setting("target", to: .list(own))
      }
      return record
    }
  }

  private func record(of target: JSONValue) -> AnnotationRecord? {
    guard target != .null else { return nil }
    let selectors = Self.selectors(of: target)
    let quote = selectors.first(where: Self.isQuote)
    let position = selectors.lazy.compactMap(Self.position).first
    let source = target["source"].string ?? target.string ?? ""
    let created = value["created"].string.flatMap(Self.date)
    let modified = value["modified"].string.flatMap(Self.date)
    var record = AnnotationRecord(
      id: value["id"].string ?? "", quote: quote?["exact"].string ?? "",
      prefix: quote?["prefix"].string ?? "", suffix: quote?["suffix"].string ?? "",
      position: position.map { .codePoints($0) }, source: source,
      title: target["title"].string ?? source, color: color ?? .yellow, note: note, tags: tags,
      created: created ?? modified, updated: modified ?? created)
    // An id that isn't an address, such as 1, is unique in its document at most.
    if !record.id.contains(":"), !source.isEmpty { record.idScopes = [source] }
    return record
  }

  private var color: HighlightColor? {
    value["diple:color"].string.flatMap(HighlightColor.init(rawValue:))
  }

  private var note: String {
    let values = [value["bodyValue"]] + value["body"].values.filter(Self.isNote).map { $0["value"] }
    return values.compactMap(\.string).joined(separator: "\n\n")
  }

  private var tags: [String] {
    value["body"].values.filter(Self.isTag).compactMap { $0["value"].string }
  }

  private static func isTag(_ body: JSONValue) -> Bool { body["purpose"] == .text("tagging") }

  private static func isNote(_ body: JSONValue) -> Bool {
    !isTag(body) && body["value"].string != nil
  }

  /// Returns the selectors of a target, each followed by those that refine it.
  private static func selectors(of target: JSONValue) -> [JSONValue] {
    target["selector"].values.flatMap { selector in
      sequence(first: selector) { $0["refinedBy"] == .null ? nil : $0["refinedBy"] }
    }
  }

  private static func isQuote(_ selector: JSONValue) -> Bool {
    selector["type"] == .text("TextQuoteSelector") && !(selector["exact"].string ?? "").isEmpty
  }

  private static func position(_ selector: JSONValue) -> Range<Int>? {
    guard selector["type"] == .text("TextPositionSelector"),
      case .number(let start) = selector["start"], case .number(let end) = selector["end"],
      let start = Int(exactly: start), let end = Int(exactly: end), 0 <= start, start < end
    else { return nil }
    return start..<end
  }

  /// Parses a time in ISO 8601, dropping fractions of a second; nil if it is invalid.
  private static func date(_ text: String) -> Date? {
    guard let dot = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
    let zone = text[dot...].dropFirst().drop(while: \.isNumber)
    return try? Date(text[..<dot] + (zone == "+00:00" ? "Z" : zone), strategy: .iso8601)
  }

  // MARK: - Changing

  /// Returns the annotation with the note, tags, colour and words of a record. A part that equals
  /// the record's is not changed.
  func matching(_ record: AnnotationRecord) -> WebAnnotationObject {
    var changed = self
    if record.note != note { changed.setNote(record.note) }
    changed.setTags(record.tags)
    if record.color != color ?? .yellow {
      changed.value = changed.value.setting("diple:color", to: .text(record.color.rawValue))
    }
    if !record.hasWordsOfObject, !record.quote.isEmpty { changed.setWords(of: record) }
    return changed
  }

  private mutating func setNote(_ note: String) {
    if value["bodyValue"] != .null {
      value = value.setting("bodyValue", to: note.isEmpty ? .null : .text(note))
      return setBodies(value["body"].values.filter { !Self.isNote($0) })
    }
    var isSet = note.isEmpty
    var bodies: [JSONValue] = []
    for body in value["body"].values {
      guard Self.isNote(body) else {
        bodies.append(body)
        continue
      }
      if isSet { continue }
      bodies.append(body.setting("value", to: .text(note)))
      isSet = true
    }
    if !isSet { bodies.append(Self.body("commenting", note)) }
    setBodies(bodies)
  }

  private mutating func setTags(_ tags: [String]) {
    let (wanted, present) = (SourceTags.names(tags), self.tags)
    let bodies = value["body"].values.filter { body in
      guard Self.isTag(body), let tag = body["value"].string else { return true }
      return SourceTags.keeps(tag, in: wanted)
    }
    let missing = SourceTags.missing(tags, from: present).map { Self.body("tagging", $0) }
    setBodies(bodies + missing)
  }

  private static func body(_ purpose: String, _ text: String) -> JSONValue {
    .object(["type": .text("TextualBody"), "purpose": .text(purpose), "value": .text(text)])
  }

  /// Sets the bodies, as a list unless a single body stays a single one.
  private mutating func setBodies(_ bodies: [JSONValue]) {
    let old = value["body"]
    guard bodies != old.values else { return }
    let isSingle = old != .null && old.list == nil && bodies.count == 1
    value = value.setting("body", to: isSingle ? bodies[0] : .list(bodies))
  }

  /// Sets the words of the only target. Other selectors describe the old passage, and are removed.
  private mutating func setWords(of record: AnnotationRecord) {
    let isList = value["target"].list != nil
    let targets = value["target"].values.map { target -> JSONValue in
      guard target != .null else { return target }
      let old = Self.selectors(of: target).first(where: Self.isQuote)
      if let old, old["exact"] == .text(record.quote) { return target }
      let quote = (old ?? .object(["type": .text("TextQuoteSelector")]))
        .setting("exact", to: .text(record.quote)).setting("prefix", to: .text(record.prefix))
        .setting("suffix", to: .text(record.suffix)).setting("refinedBy", to: .null)
      let whole = target.string.map { .object(["source": .text($0)]) } ?? target
      let keepsList = target["selector"].list != nil
      return whole.setting("selector", to: keepsList ? .list([quote]) : quote)
    }
    value = value.setting("target", to: isList ? .list(targets) : targets[0])
  }

  // MARK: - Several targets

  /// Whether this is a part of an annotation with several targets.
  var isPart: Bool { value["target"].values.contains(.null) }

  /// Replaces the missing targets by those of another part of the same annotation. Returns false,
  /// without a change, if the other one is no such part.
  mutating func join(_ other: WebAnnotationObject) -> Bool {
    guard let own = value["target"].list, let added = other.value["target"].list,
      own.count == added.count,
      value.setting("target", to: .null) == other.value.setting("target", to: .null),
      !zip(own, added).contains(where: { $0 != .null && $1 != .null })
    else { return false }
    value = value.setting("target", to: .list(zip(own, added).map { $0 == .null ? $1 : $0 }))
    return true
  }

  /// Removes the targets that are still missing, because Diple no longer has their highlights.
  func withoutMissingTargets() -> JSONValue {
    guard let targets = value["target"].list else { return value }
    return value.setting("target", to: .list(targets.filter { $0 != .null }))
  }
}

extension JSONValue {
  /// The text of a JSON string; nil for any other value.
  var string: String? { if case .text(let text) = self { text } else { nil } }
}
