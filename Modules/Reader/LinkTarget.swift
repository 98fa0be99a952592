package import MarkdownParse
package import Model

/// Where a link leads.
package enum LinkTarget: Hashable, Sendable {
  /// To a heading of the same text, by its slug.
  case heading(String)
  /// To another file, by its absolute path, and there to a heading.
  case file(String, heading: String?)
  /// To a note by its name, and there to a heading or a block.
  case note(String, part: String?)
  /// Elsewhere: an address with a scheme.
  case address(String)

  /// Reads a destination in a file, whose absolute path is known.
  package init(_ destination: String, from file: String) {
    if destination.hasPrefix("[["), destination.hasSuffix("]]") {
      let parts = destination.dropFirst(2).dropLast(2).split(
        separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      self = .note(
        parts.first.map(String.init) ?? "", part: parts.count > 1 ? String(parts[1]) : nil)
      return
    }
    let scheme = destination.prefix { $0 != ":" && $0 != "/" && $0 != "#" }
    let isScheme =
      scheme.count > 1 && scheme.endIndex < destination.endIndex
      && destination[scheme.endIndex] == ":"
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
    if isScheme || destination.hasPrefix("//") {
      self = .address(destination)
      return
    }
    let parts = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let slug = parts.count > 1 ? Self.decoded(parts[1]) : nil
    let path = Self.decoded(parts.first ?? "")
    guard !path.isEmpty else {
      self = .heading(slug ?? "")
      return
    }
    let folder = file.split(separator: "/").dropLast().joined(separator: "/")
    self = .file(Self.absolute(path, from: "/" + folder), heading: slug)
  }

  /// Its kind in a word: `heading`, `file`, `note` or `address`.
  package var kind: String {
    switch self {
    case .heading: "heading"
    case .file: "file"
    case .note: "note"
    case .address: "address"
    }
  }

  private static func absolute(_ path: String, from folder: String) -> String {
    var components: [Substring] = []
    for component in (path.hasPrefix("/") ? path : "\(folder)/\(path)").split(separator: "/") {
      switch component {
      case ".": continue
      case "..": _ = components.popLast()
      default: components.append(component)
      }
    }
    return "/" + components.joined(separator: "/")
  }

  /// A text with its percent signs resolved.
  private static func decoded(_ text: Substring) -> String {
    guard text.contains("%") else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
      {
        bytes.append(value)
        rest.removeFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ParsedDocument {
  /// The text that a name leads to: one that stands in the text itself (`text(named:)`), or the heading
  /// with that name (`headingNames`). O(text).
  package func heading(slug: String) -> TextRange? {
    if let text = text(named: slug) { return text }
    let name = slug.lowercased()
    return headingNames.first { $0.name == name }.map { blocks[$0.block].text }
  }
}
