import FoundationEssentials
import Model

/// The JSON form of a document in pandoc, between its readers and its writers.
enum PandocTree {
  /// Returns the document without references to other files. Pictures become their descriptions,
  /// links that `LinkSafety` rejects become their words, raw parts are removed, and control
  /// characters become visible. Marked passages become highlights. Nil if the bytes aren't such a
  /// document. O(bytes).
  static func withoutFiles(
    _ bytes: [UInt8], title: String, author: String = "", passages: [MarkedMarkdown.Passage] = []
  ) -> [UInt8]? {
    guard let value = JSONValue(bytes), case .object(var document) = value,
      case .list(let blocks)? = document["blocks"]
    else { return nil }
    let parts = JSONValue.list(blocks.compactMap(plain))
    var marks = PandocMarks(passages)
    document["blocks"] = passages.isEmpty ? parts : marks.replaced(parts)
    // The metadata may name style sheets, covers and bibliographies.
    var meta: [String: JSONValue] = [:]
    for (name, value) in [("title", title), ("author", author)] where !value.isEmpty {
      meta[name] = .object(["t": .text("MetaString"), "c": .text(value)])
    }
    document["meta"] = .object(meta)
    return (try? JSONEncoder().encode(JSONValue.object(document))).map { Array($0) }
  }

  private static func plain(_ value: JSONValue) -> JSONValue? {
    switch value {
    case .list(let list): return .list(list.compactMap(plain))
    case .object(var object):
      guard case .text(let type)? = object["t"] else {
        return .object(object.compactMapValues(plain))
      }
      if type == "RawInline" || type == "RawBlock" { return nil }
      if type == "Image" || type == "Link" && !isSafeLink(object["c"]),
        case .list(let parts)? = object["c"], parts.count == 3
      {
        return .object([
          "t": .text("Span"),
          "c": .list([.list([.text(""), .list([]), .list([])]), plain(parts[1]) ?? .list([])]),
        ])
      }
      object["c"] = object["c"].flatMap(plain)
      return .object(object)
    case .text(let text): return .text(ControlCharacters.replaced(in: text))
    default: return value
    }
  }

  /// Whether the content of a link has an address that may be passed to other programs.
  private static func isSafeLink(_ content: JSONValue?) -> Bool {
    guard case .list(let parts)? = content, case .list(let target)? = parts.last,
      case .text(let address)? = target.first
    else { return false }
    return LinkSafety.isSafeElsewhere(address)
  }
}
