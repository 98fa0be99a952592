import Editing
package import Model
import RichText
package import SystemSupport

/// A request in the words of the `format` command: `bold`, `size 13`, `indent first 36`, `style
/// Quote`.
///
/// ```swift
/// let (wish, count) = try FormatRequest.parse(["indent", "first", "36"])  // count is 3
/// let outcomes = try await library.format(document, .selected(spec), wish)
/// ```
package enum FormatRequest: Hashable, Sendable {
  /// A request that only the file can store.
  case file(FileFormatRequest)
  /// A style by its id or title; `none` removes the style.
  case style(String)
  /// A request that the library can store, with its name for the history.
  case act(FormatAct, String)

  private static let toggles: [String: CharacterAttribute] = [
    "bold": .bold(true), "italic": .italic(true), "strike": .strikethrough(.single),
    "underline": .underline(.single), "super": .position(.superscript),
    "sub": .position(.subscript),
  ]

  /// All words that can follow `format`, in alphabetical order.
  package static let names =
    (Array(toggles.keys) + FormatWords.names + [
      "clear", "code", "copy", "default", "heading", "link", "margins", "mark", "paste", "quote",
      "show",
    ]).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.sorted()

  /// The formats that can be toggled, as they are typed.
  package static let toggleNames: [String] =
    (Array(toggles.keys) + ["code", "mark", "quote", "strike double"]
    + UnderlineStyle.allCases.filter { $0 != .none && $0 != .single }.map { "underline \($0.word)" })
    .sorted()

  /// Creates a request to toggle one of `toggleNames`.
  ///
  /// - Throws: `usage` for another name.
  package init(toggling name: String) throws(UserError) {
    guard Self.toggleNames.contains(name) else {
      throw UserError(.usage, "'\(name.oneLine)' cannot be toggled")
    }
    self = try Self.parse(name.split(separator: " ").map(String.init)).wish
  }

  /// Removes the stored formatting, and applies the copied format.
  package static let clearing = FormatRequest.act(.clear(withParagraphs: nil), "clear")
  package static let pasting = FormatRequest.act(
    .paste(CopiedFormat(characters: [], paragraphs: []), withParagraphs: nil), "pasted a format")

  /// The request as it is typed, for the history.
  package var label: String {
    switch self {
    case .file(let request): request.label
    case .style(let name): "style \(name)"
    case .act(_, let label): label
    }
  }

  /// Parses the request at the start of some words.
  ///
  /// - Parameter hasValue: whether the word after an attribute with an optional value may be its
  ///   value.
  /// - Returns: the request, and the number of words it consists of.
  /// - Throws: `usage` if the words start with no valid request.
  package static func parse(_ words: [String], hasValue: Bool = true) throws(UserError)
    -> (wish: FormatRequest, count: Int)
  {
    guard let name = words.first else {
      throw UserError(.usage, "expected an attribute, such as bold")
    }
    if let toggle = toggles[name] {
      let rest = words.dropFirst()
      guard hasValue, let value = rest.first, isValue(value, of: name) else {
        return (.act(.toggle(toggle), name), 1)
      }
      if name == "underline", let style = UnderlineStyle(word: value), style != .none {
        return (.act(.toggle(.underline(style)), "underline \(value)"), 2)
      }
      if name == "strike", value == "double" {
        return (.act(.toggle(.strikethrough(.double)), "strike double"), 2)
      }
      guard let parsed = try FormatWords.parse(words) else {
        return (.act(.toggle(toggle), name), 1)
      }
      return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
    }
    switch name {
    case "mark": return (.file(.toggle(.mark)), 1)
    case "code": return (.file(.toggle(.code)), 1)
    case "quote": return (.file(.quote), 1)
    case "clear": return (clearing, 1)
    case "paste": return (pasting, 1)
    case "link", "heading":
      guard words.count > 1 else {
        throw UserError(
          .usage, "'\(name)' needs a value", hint: name == "link" ? "link URL" : "heading 1 … 6")
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
        throw UserError(.usage, "'style' needs a name", hint: "style \"Block Quote\"")
      }
      return (.style(words[1]), 2)
    default: break
    }
    guard let parsed = try FormatWords.parse(words) else {
      throw UserError(
        .usage, "'\(name)' is not one of \(names.joined(separator: ", "))",
        hint: Spelling.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
          ?? "the attribute comes first, such as bold: \(typed: "format", "bold", "FILE", "SPEC")")
    }
    return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
  }

  /// Returns whether a word after an attribute with an optional value can only be that value.
  private static func isValue(_ word: String, of name: String) -> Bool {
    switch name {
    case "underline": ["on", "off"].contains(word) || UnderlineStyle(word: word) != nil
    case "strike": ["on", "off", "none", "double"].contains(word)
    case "bold", "italic": ["on", "off", "none"].contains(word)
    default: false
    }
  }
}

/// Where the requested formatting is stored.
package enum FormatOutcome: Sendable {
  /// In the file alone.
  case file(FileChange)
  /// In the library, and in the file as far as Markdown can express it; with the request's name.
  case stored(FormatResult, String)
}

extension Library {
  /// Formats passages as requested in words, all of them in one step of the history.
  ///
  /// - Parameters:
  ///   - withParagraphs: whether `clear` and `paste` apply to whole paragraphs; nil to apply to
  ///     them only if the passage contains the end of one.
  ///   - name: the name of the copied format that `paste` applies.
  ///   - keepsFile: whether everything is stored in the library and the file is not changed.
  /// - Returns: one outcome if only the file changed, else one for each passage that changed. The
  ///   array is not empty.
  /// - Throws: `notFound` if the document was removed, or the style or the copied format does not
  ///   exist; `nothing` if the passages already have the formatting; `usage` if a value is out of
  ///   range or Markdown cannot express the request there; `conflict` if it cannot be stored or the
  ///   passages are of another text.
  package func format(
    _ document: Document, _ scope: FormatScope, _ wish: FormatRequest, withParagraphs: Bool? = nil,
    copied name: String = "default", keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> [FormatOutcome] {
    switch wish {
    case .file(let request):
      guard !keepsFile else {
        throw UserError(.usage, "'\(request.label)' can only be written into the file")
      }
      return [.file(try format(document, scope, request, dryRun: dryRun))]
    case .style(let name):
      return try give(name, to: scope, of: document, keepsFile: keepsFile, dryRun: dryRun)
    case .act(var act, let label):
      switch act {
      case .clear: act = .clear(withParagraphs: withParagraphs)
      case .paste:
        guard let copied = try copiedFormat(name) else {
          throw UserError(
            .notFound, "no format was copied\(name == "default" ? "" : " as '\(name.oneLine)'")",
            hint: "copy one: \(typed: "format", "copy", "DOC", "SPEC")")
        }
        act = .paste(copied, withParagraphs: withParagraphs)
      default: break
      }
      return try format(
        document, scope, act, label: label, keepsFile: keepsFile, dryRun: dryRun
      ).map { .stored($0, label) }
    }
  }

  /// Applies a style. If Markdown has markup for the style, it is written into the file.
  private func give(
    _ name: String, to scope: FormatScope, of document: Document, keepsFile: Bool, dryRun: Bool
  ) throws(UserError) -> [FormatOutcome] {
    let (attribute, label): (AttributeChange<ParagraphAttribute>, String)
    if name == "none" {
      (attribute, label) = (.clear(.style), "style none")
    } else {
      let style = try style(name)
      // Applying the body style turns a heading into ordinary text. If the passage is not a
      // heading, the style is stored in the library.
      if style.id == .body, !keepsFile,
        let change = try? format(document, scope, .heading(nil), dryRun: dryRun)
      {
        return [.file(change)]
      }
      if !keepsFile, let file = FileFormatRequest(style: style.id) {
        return [.file(try format(document, scope, file, dryRun: dryRun))]
      }
      (attribute, label) = (.set(.style(style.id)), "style \(style.title)")
    }
    return try format(
      document, scope, .change(FormatChange(paragraphs: [attribute])), label: label, dryRun: dryRun
    ).map { .stored($0, label) }
  }
}
