import Model

/// The parsed target of a link.
///
/// ```swift
/// LinkTarget("notes.md#intro", from: "/home/ann/essay.md")
/// // .file("/home/ann/notes.md", heading: "intro")
/// ```
package enum LinkTarget: Hashable, Sendable {
  /// A heading of the same document, by its slug; empty if the destination has no slug.
  case heading(String)
  /// Another file, by its absolute path, and optionally one of its headings.
  case file(String, heading: String?)
  /// A note by its name, and optionally a heading or a block of it.
  case note(String, part: String?)
  /// An address with a scheme.
  case address(String)

  /// Parses a destination.
  ///
  /// - Parameter file: the absolute path of the file that contains the link.
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

  /// The case as a word: `heading`, `file`, `note` or `address`.
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

  /// Decodes percent-encoding. Invalid sequences are kept.
  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decoded(text).bytes, as: UTF8.self)
  }
}
