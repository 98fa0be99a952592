import Editing
package import Model
import RichText
package import SystemSupport
package import Workspace

/// A change of a format that a user asks for.
package enum FormatRequest: Hashable, Sendable {
  /// A request that only the file can store.
  case file(FileFormatRequest)
  /// A style by its id or title; `none` removes the style.
  case style(String)
  /// A request that the library can store, with its name for the history.
  case act(FormatAct, String)

  /// The formats that can be toggled and that the library can store, by their names.
  private static let toggles: [String: CharacterAttribute] =
    UnderlineStyle.allCases.filter { $0 != .none }.reduce(
      into: [
        "bold": .bold(true), "italic": .italic(true), "strike": .strikethrough(.single),
        "strike double": .strikethrough(.double), "underline": .underline(.single),
        "super": .position(.superscript), "sub": .position(.subscript),
      ]
    ) { $0["underline \($1.word)"] = .underline($1) }

  private static let fileToggles: [String: FileFormatRequest] = [
    "code": .toggle(.code), "mark": .toggle(.mark), "quote": .quote,
  ]

  /// The names of the formats that can be toggled.
  package static let toggleNames: [String] = (Array(toggles.keys) + fileToggles.keys).sorted()

  /// Creates a request to toggle one of `toggleNames`.
  ///
  /// - Throws: `usage` for another name.
  package init(toggling name: String) throws(UserError) {
    if let toggle = Self.toggles[name] {
      self = .act(.toggle(toggle), name)
    } else if let toggle = Self.fileToggles[name] {
      self = .file(toggle)
    } else {
      throw UserError(.usage, "'\(name.oneLine)' cannot be toggled")
    }
  }

  /// Removes the stored formatting.
  package static let clearing = FormatRequest.act(.clear(withParagraphs: nil), "clear")
  /// Applies the copied format. `Library.format` puts it in place of the empty format in this
  /// request.
  package static let pasting = FormatRequest.act(
    .paste(CopiedFormat(characters: [], paragraphs: []), withParagraphs: nil), "pasted a format")

  /// The name of the request in the history.
  package var label: String {
    switch self {
    case .file(let request): request.label
    case .style(let name): "style \(name)"
    case .act(_, let label): label
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
  /// Formats passages as requested, all of them in one step of the history.
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
    _ document: Document, _ scope: FormatScope, _ formatRequest: FormatRequest,
    withParagraphs: Bool? = nil,
    copied name: String = "default", keepsFile: Bool = false, dryRun: Bool = false
  ) throws(UserError) -> [FormatOutcome] {
    switch formatRequest {
    case .file(let request):
      guard !keepsFile else {
        throw UserError(.usage, "'\(request.label)' can only be written into the file")
      }
      return [.file(try format(document, scope, request, dryRun: dryRun))]
    case .style(let name):
      return try applyStyle(name, to: scope, of: document, keepsFile: keepsFile, dryRun: dryRun)
    case .act(var act, let label):
      switch act {
      case .clear: act = .clear(withParagraphs: withParagraphs)
      case .paste:
        guard let copied = try copiedFormat(name) else {
          throw UserError(
            .notFound, "no format was copied\(name == "default" ? "" : " as '\(name.oneLine)'")",
            hint: """
              copy one: \(unquoted: "format.copy", [
                "document": .asked("doc"), "passage": .asked("spec"),
              ])
              """)
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
  private func applyStyle(
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
