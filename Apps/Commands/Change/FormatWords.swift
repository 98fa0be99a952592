import Actions
import Console
import Editing
import LibraryFormatting
import Model
import RichText
import SystemSupport
import Workspace

/// The words of the `format` command: `bold`, `size 12.5`, `indent first 36`, `style Quote`.
///
/// ```swift
/// let (request, count) = try FormatWords.request(["indent", "first", "36"])  // count is 3
/// ```
enum FormatWords {
  /// An attribute with its value, parsed from words.
  struct Parsed {
    /// The change that sets or clears the attribute.
    var change: FormatChange
    /// The name of the attribute with its value.
    var values: [String: String]
    /// The number of words that were parsed.
    var count: Int
  }

  /// The attributes that take a value, in alphabetical order. `underline` can also be a toggle.
  static let names = [
    "align", "background", "caps", "color", "font", "indent", "size", "spacing", "style", "tabs",
    "underline",
  ]

  private static let toggles = ["bold", "italic", "strike", "underline", "super", "sub"]

  /// All words that can follow `format`, in alphabetical order.
  static let requests =
    (toggles + names + [
      "clear", "code", "copy", "default", "heading", "link", "margins", "mark", "paste", "quote",
      "show",
    ]).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.sorted()

  /// Returns the error for words that are not one attribute with its value. It suggests the most
  /// similar attribute.
  ///
  /// - Parameter example: the words of a valid command.
  static func noAttribute(_ words: [String], example: Hint) -> UserError {
    guard let name = words.first, !names.contains(name), !toggles.contains(name) else {
      let found = words.isEmpty ? "" : ", not '\(words.joined(separator: " ").oneLine)'"
      return UserError(.usage, "expected one attribute with its value\(found)", hint: example)
    }
    return UserError(
      .usage, "there is no attribute '\(name.oneLine)'",
      hint: Spelling.suggestion(for: name, among: names + toggles).map { Hint($0) }
        ?? "there are: \((names + toggles).sorted().joined(separator: ", "))")
  }

  /// Returns the fixed values that can follow, for completion; nil if there are no fixed values.
  /// Other text may also be valid, such as the name of a font.
  static func values(after words: [String]) -> [String]? {
    switch words.first {
    case "align": words.count == 1 ? TextAlignment.allCases.map(\.rawValue) + ["none"] : nil
    case "background", "color": words.count == 1 ? ["automatic", "none"] : nil
    case "caps": words.count == 1 ? ["all", "none", "off", "small"] : nil
    case "underline": words.count == 1 ? UnderlineStyle.allCases.map(\.word) : nil
    case "indent": words.count == 1 ? ["first", "head", "tail"] : words.count == 2 ? ["none"] : nil
    case "spacing":
      words.count == 1
        ? ["after", "at-least", "before", "exactly", "extra", "line"]
        : words.count == 2 ? ["none"] : nil
    case "font", "size", "style", "tabs": words.count == 1 ? ["none"] : nil
    default: nil
    }
  }

  /// Parses an attribute with its value at the start of some words; nil if they do not start with
  /// an attribute.
  ///
  /// - Throws: ``UserError`` with the code `usage` and the valid values if the value is missing or
  ///   invalid.
  static func parse(_ words: [String]) throws(UserError) -> Parsed? {
    guard let first = words.first else { return nil }
    let hasSubattribute = first == "indent" || first == "spacing"
    guard hasSubattribute || FormatAttributeParser.names.contains(first) else { return nil }
    func word(_ index: Int) throws(UserError) -> String {
      guard words.count > index else {
        let shown = words.joined(separator: " ")
        throw UserError(
          .usage, "'\(shown)' needs a value", hint: Hint("for example: " + example(of: first)))
      }
      return words[index]
    }
    let name = hasSubattribute ? "\(first) \(try word(1))" : first
    try FormatAttributeParser.check(name)
    let count = hasSubattribute ? 3 : 2
    let value = try word(count - 1)
    return Parsed(
      change: try FormatAttributeParser.change(name, value), values: [name: value], count: count)
  }

  private static func example(of name: String) -> String {
    switch name {
    case "font": "font \"EB Garamond\""
    case "size": "size 13"
    case "color", "background": "\(name) #aa0000"
    case "align": "align center"
    case "indent": "indent first 36"
    case "spacing": "spacing line 1.5"
    case "tabs": "tabs 72,144:right"
    case "style": "style \"Block Quote\""
    case "caps": "caps small"
    default: "\(name) on"
    }
  }

  /// Parses the request at the start of some words.
  ///
  /// - Parameter hasValue: whether `bold`, `underline` and other toggles consume a value after
  ///   them.
  /// - Returns: the request, and the number of words it consists of.
  /// - Throws: ``UserError`` with the code `usage` if the words don't start with a valid request.
  static func request(_ words: [String], hasValue: Bool = true) throws(UserError)
    -> (request: FormatRequest, count: Int)
  {
    guard let name = words.first else {
      throw UserError(.usage, "expected an attribute, such as bold")
    }
    if toggles.contains(name) {
      let toggle = (try FormatRequest(toggling: name), 1)
      let rest = words.dropFirst()
      guard hasValue, let value = rest.first else { return toggle }
      guard isValue(value, of: name) else {
        // Before DOC and SPEC, the word can only be a value.
        if rest.count == 3, !Library.isFile(value), Library.isFile(words[2]),
          FormatAttributeParser.names.contains(name)
        {
          _ = try parse(words)
        }
        return toggle
      }
      let both = "\(name) \(UnderlineStyle(word: value)?.word ?? value)"
      if FormatRequest.toggleNames.contains(both) { return (try FormatRequest(toggling: both), 2) }
      guard let parsed = try parse(words) else { return toggle }
      return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
    }
    switch name {
    case "mark", "code", "quote": return (try FormatRequest(toggling: name), 1)
    case "clear": return (.clearing, 1)
    case "paste": return (.pasting, 1)
    case "link", "heading":
      guard words.count > 1 else {
        throw UserError(
          .usage, "'\(name)' needs a value",
          hint: name == "link" ? "link URL" : "heading 1 to heading 6")
      }
      let value = words[1]
      if value == "none" { return (.file(name == "link" ? .link(nil) : .heading(nil)), 2) }
      if name == "link" { return (.file(.link(value)), 2) }
      guard let level = Int(value), (1...6).contains(level) else {
        throw UserError(.usage, "a heading has a level from 1 to 6, not '\(value)'")
      }
      return (.file(.heading(level)), 2)
    case "style":
      guard words.count > 1 else {
        throw UserError(.usage, "'style' needs a name", hint: "for example: style \"Block Quote\"")
      }
      return (.style(words[1]), 2)
    default: break
    }
    guard let parsed = try parse(words) else {
      throw UserError(
        .usage, "'\(name)' is not one of \(requests.joined(separator: ", "))",
        hint: Spelling.suggestion(for: name, among: requests).map { Hint($0) }
          ?? "write the attribute first: \(typed: "format", "bold", "FILE", "SPEC")")
    }
    return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
  }

  /// Returns whether a word is a value of a toggle, rather than the name of a file.
  private static func isValue(_ word: String, of name: String) -> Bool {
    switch name {
    case "underline": ["on", "off"].contains(word) || UnderlineStyle(word: word) != nil
    case "strike": ["on", "off", "none", "double"].contains(word)
    case "bold", "italic": ["on", "off", "none"].contains(word)
    default: false
    }
  }
}

extension FormatPassage {
  /// Creates the action for what a user typed.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - words: the words from which the request was parsed.
  ///   - name: the name of the copied format that `paste` applies.
  init(
    document: Document.ID, passage: RequestedPassage, _ request: FormatRequest,
    typed words: [String], copied name: String
  ) {
    self.init(document: document, passage: passage)
    switch request {
    case .file(.heading(let level)), .file(.style(heading: let level)): heading = level ?? 0
    case .file(.link(let address)): link = address ?? ""
    case .file(.toggle), .file(.quote): toggle = words.joined(separator: " ")
    case .act(.toggle, let label): toggle = label
    case .style(let name): style = name
    case .act(.clear, _): reset = true
    case .act(.paste, _): paste = name
    case .act(.change, _):
      let name = words.dropLast().joined(separator: " ")
      if words.last == "none" { clear = [name] } else { set = [name: words.last ?? ""] }
    }
  }
}
