import FoundationEssentials
import Interchange
import Model

/// One annotation of Hypothesis as JSON, read as a record and changed to match a record. Parts that
/// Diple doesn't know, such as the user, the group and the permissions, stay as they are.
struct HypothesisObject {
  private(set) var value: JSONValue

  /// Accepts a value with the keys of an annotation; nil for any other value.
  init?(_ value: JSONValue) {
    guard value.keys.isSuperset(of: ["id", "uri"]),
      !value.keys.isDisjoint(with: ["target", "references"])
    else { return nil }
    self.value = value
  }

  /// The beginning of a tag that names the colour. Hypothesis has no colours.
  private static let colorPrefix = "color:"

  /// Returns the tag that names a colour.
  static func tag(_ color: HighlightColor) -> String { colorPrefix + color.rawValue }

  private static func color(ofTag tag: String) -> HighlightColor? {
    guard tag.hasPrefix(colorPrefix) else { return nil }
    return HighlightColor(rawValue: String(tag.dropFirst(colorPrefix.count)))
  }

  // MARK: - Reading

  /// The record; nil if the annotation has no quote. A position without a quote is useless, because
  /// it refers to the text of the web page.
  var record: AnnotationRecord? {
    let quote = selectors.first(where: Self.isQuote)
    let words = quote?["exact"].text ?? ""
    guard !words.isEmpty else { return nil }
    let place = selectors.first { $0["type"].text == "TextPositionSelector" }
    var position: AnnotationRecord.Position?
    if let start = place?["start"].number.flatMap({ Int(exactly: $0) }),
      let end = place?["end"].number.flatMap({ Int(exactly: $0) }), 0 <= start, start < end
    {
      position = .utf16(TextRange(utf16: start..<end))
    }
    let address = value["uri"].text
    let title = value["document"]["title"].values.first?.text ?? ""
    var record = AnnotationRecord(
      id: value["id"].text, quote: words, prefix: quote?["prefix"].text ?? "",
      suffix: quote?["suffix"].text ?? "", position: position, source: address,
      title: title.isEmpty ? address : title, color: color ?? .yellow, note: value["text"].text,
      tags: tags.filter { Self.color(ofTag: $0) == nil })
    record.sourceColor = color?.rawValue ?? ""
    record.object = value
    record.setDates(WrittenDate(value["created"].text), WrittenDate(value["updated"].text))
    return record
  }

  private var selectors: [JSONValue] { value["target"].values.flatMap { $0["selector"].values } }

  private static func isQuote(_ selector: JSONValue) -> Bool {
    selector["type"].text == "TextQuoteSelector"
  }

  private var tags: [String] { value["tags"].values.map(\.text) }

  private var color: HighlightColor? { tags.compactMap(Self.color).last }

  // MARK: - Changing

  /// Returns the annotation with the note, tags, colour and words of a record. A part that equals
  /// the record's is not changed.
  func matching(_ record: AnnotationRecord) -> JSONValue {
    var changed = value
    if record.note != value["text"].text {
      changed = changed.setting("text", to: .text(record.note))
    }
    let tags = matchingTags(record)
    if tags != self.tags { changed = changed.setting("tags", to: .list(tags.map(JSONValue.text))) }
    let quote = selectors.first(where: Self.isQuote)
    if !record.hasWordsOfObject, record.quote != quote?["exact"].text ?? "" {
      changed = changed.setting("target", to: .list(targets(record, quote)))
    }
    return changed
  }

  private func matchingTags(_ record: AnnotationRecord) -> [String] {
    let wanted = SourceTags.names(record.tags)
    var kept = tags.filter { Self.color(ofTag: $0) != nil || SourceTags.keeps($0, in: wanted) }
    kept += SourceTags.missing(record.tags, from: tags)
    guard record.color != color ?? .yellow else { return kept }
    kept.removeAll { Self.color(ofTag: $0) != nil }
    return kept + [Self.tag(record.color)]
  }

  /// Returns the targets with the words of a record. Other selectors describe the old passage, and
  /// are removed.
  private func targets(_ record: AnnotationRecord, _ quote: JSONValue?) -> [JSONValue] {
    var selectors = [
      (quote ?? .object(["type": .text("TextQuoteSelector")]))
        .setting("exact", to: .text(record.quote)).setting("prefix", to: .text(record.prefix))
        .setting("suffix", to: .text(record.suffix))
    ]
    if let range = record.textRange {
      selectors.append(
        .object([
          "type": .text("TextPositionSelector"), "start": .number(Double(range.lowerBound)),
          "end": .number(Double(range.upperBound)),
        ]))
    }
    let targets = value["target"].values
    let first = targets.first ?? .object(["source": value["uri"]])
    return [first.setting("selector", to: .list(selectors))] + targets.dropFirst()
  }
}
