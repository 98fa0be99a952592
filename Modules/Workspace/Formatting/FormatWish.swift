package import Editing
package import Model
import RichText
package import SystemSupport

/// What a person asks for in the words of `format`: `bold`, `size 13`, `indent first 36`, `style Quote`.
package enum FormatWish: Hashable, Sendable {
  /// What can only be written into the file.
  case file(FormatRequest)
  /// A style by its name; `none` for none.
  case style(String)
  /// What may be kept in the library, with what it is called.
  case act(FormatAct, String)

  private static let toggles: [String: CharacterAttribute] = [
    "bold": .bold(true), "italic": .italic(true), "strike": .strikethrough(.single),
    "underline": .underline(.single), "super": .position(.superscript),
    "sub": .position(.subscript),
  ]

  /// The words that an act can begin with, and those that `format` has besides.
  package static let names =
    (Array(toggles.keys) + FormatWords.names + [
      "clear", "code", "copy", "default", "heading", "link", "margins", "mark", "paste", "quote",
      "show",
    ]).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.sorted()

  /// Reads what stands at the start of some words, and says how many words that is.
  ///
  /// - Parameter hasValue: whether a word behind one that needs no value may be its value.
  /// - Throws: `usage` for what is none.
  package static func parse(_ words: [String], hasValue: Bool = true) throws(UserError)
    -> (wish: FormatWish, count: Int)
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
    case "clear": return (.act(.clear(withParagraphs: nil), "clear"), 1)
    case "paste":
      return (
        .act(
          .paste(CopiedFormat(characters: [], paragraphs: []), withParagraphs: nil),
          "pasted a format"), 1
      )
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
        hint: nearestMatch(to: name, among: names).map { "did you mean '\($0)'?" }
          ?? "the attribute comes first, such as bold: \(typed: "format", "bold", "FILE", "SPEC")")
    }
    return (.act(.change(parsed.change), parsed.change.typed), parsed.count)
  }

  /// Whether a word can only be the value of an attribute that needs none.
  private static func isValue(_ word: String, of name: String) -> Bool {
    switch name {
    case "underline": ["on", "off"].contains(word) || UnderlineStyle(word: word) != nil
    case "strike": ["on", "off", "none", "double"].contains(word)
    case "bold", "italic": ["on", "off", "none"].contains(word)
    default: false
    }
  }
}

/// Where a format that somebody asked for is now.
package enum FormatOutcome: Sendable {
  /// In the file alone.
  case file(FileChange)
  /// In the library, and as far as Markdown can say it in the file; with what the act is called.
  case stored(FormatResult, String)
}

extension Library {
  /// Gives a passage what a person asks for in words.
  ///
  /// - Parameters:
  ///   - withParagraphs: whether `clear` and `paste` concern whole paragraphs; nil where the passage says.
  ///   - name: what `paste` pastes.
  ///   - keepsFile: whether all of it is kept in the library.
  /// - Throws: as the formatting of a passage does.
  package func format(
    _ document: Document, _ spec: SelectionSpec, _ wish: FormatWish, withParagraphs: Bool? = nil,
    copied name: String = "default", keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> FormatOutcome {
    try format(
      document, .selected(spec), wish, withParagraphs: withParagraphs, copied: name,
      keepsFile: keepsFile, dryRun: dryRun)[0]
  }

  /// Gives passages what a person asks for in words, all of them in one step.
  ///
  /// - Parameters: as for one passage.
  /// - Returns: one for the file alone, else one for each passage that changed; at least one.
  /// - Throws: as the formatting of passages does.
  package func format(
    _ document: Document, _ scope: FormatScope, _ wish: FormatWish, withParagraphs: Bool? = nil,
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

  /// Gives a style. What Markdown has markup for is written into the file.
  private func give(
    _ name: String, to scope: FormatScope, of document: Document, keepsFile: Bool, dryRun: Bool
  ) throws(UserError) -> [FormatOutcome] {
    let (attribute, label): (AttributeChange<ParagraphAttribute>, String)
    if name == "none" {
      (attribute, label) = (.clear(.style), "style none")
    } else {
      let style = try style(name)
      // A heading becomes ordinary text; where there is none, the style is kept in the library.
      if style.id == .body, !keepsFile,
        let change = try? format(document, scope, .heading(nil), dryRun: dryRun)
      {
        return [.file(change)]
      }
      if !keepsFile, let file = FormatRequest(style: style.id) {
        return [.file(try format(document, scope, file, dryRun: dryRun))]
      }
      (attribute, label) = (.set(.style(style.id)), "style \(style.title)")
    }
    return try format(
      document, scope, .change(FormatChange(paragraphs: [attribute])), label: label, dryRun: dryRun
    ).map { .stored($0, label) }
  }
}
