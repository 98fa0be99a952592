import Model

/// The metadata of an article in a page's JSON-LD, in the vocabulary of schema.org.
struct LinkedData {
  private(set) var title: String?
  private(set) var authors: [String] = []
  private(set) var date: String?
  private(set) var publisher: String?
  private(set) var language: String?
  private(set) var address: String?

  private static let longest = 1 << 20

  /// Adds the metadata of a script element. Values found earlier are kept. A script that is not
  /// valid JSON, longer than 1 MiB or nested too deeply is ignored.
  mutating func read(_ text: String) {
    guard text.utf8.count <= Self.longest, Self.depth(of: text) < 64,
      let value = JSONValue(Array(text.utf8))
    else { return }
    var found: [[String: JSONValue]] = []
    value.collectArticles(into: &found)
    guard let article = found.first else { return }
    title = title ?? (article["headline"] ?? article["name"])?.firstText
    if authors.isEmpty { authors = article["author"]?.names ?? article["creator"]?.names ?? [] }
    date = date ?? (article["datePublished"] ?? article["dateCreated"])?.firstText
    publisher = publisher ?? article["publisher"]?.names.first
    language = language ?? article["inLanguage"]?.firstText
    address = address ?? (article["mainEntityOfPage"]?.reference ?? article["url"]?.firstText)
  }

  /// Returns the greatest nesting depth of brackets and braces outside of strings.
  private static func depth(of text: String) -> Int {
    var (depth, deepest, isQuoted, isEscaped) = (0, 0, false, false)
    for byte in text.utf8 {
      if isEscaped { isEscaped = false; continue }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = isQuoted
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if !isQuoted { depth += 1; deepest = max(deepest, depth) }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isQuoted { depth -= 1 }
      default: continue
      }
    }
    return deepest
  }
}

extension JSONValue {
  /// The text, or the first text of a list.
  fileprivate var firstText: String? {
    switch self {
    case .text(let text): text
    case .list(let values): values.lazy.compactMap(\.firstText).first
    default: nil
    }
  }

  fileprivate var reference: String? {
    if case .object(let object) = self { object["@id"]?.firstText } else { firstText }
  }

  /// The names of one or several authors or organizations.
  fileprivate var names: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let values): values.flatMap(\.names)
    case .object(let object): object["name"]?.firstText.map { [$0] } ?? []
    default: []
    }
  }

  fileprivate func collectArticles(into found: inout [[String: JSONValue]]) {
    switch self {
    case .list(let values): for value in values { value.collectArticles(into: &found) }
    case .object(let object):
      if let types = object["@type"]?.names,
        types.contains(where: {
          $0.hasSuffix("Article") || $0.hasSuffix("Posting") || $0 == "Report" || $0 == "WebPage"
        })
      {
        // An article has more specific metadata than the page that contains it.
        if types.contains("WebPage") { found.append(object) } else { found.insert(object, at: 0) }
      }
      object["@graph"]?.collectArticles(into: &found)
    default: return
    }
  }
}
