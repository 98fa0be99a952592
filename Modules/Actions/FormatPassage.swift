import Editing
package import LibraryFormatting
package import Model
import RichText
import SystemSupport
package import Workspace

/// Formats a passage, or several in one step: in the file if Markdown can express the format,
/// otherwise in the library.
package struct FormatPassage: Action {
  package static let name = "passage.format"
  package static let summary =
    "Formats a passage, or several in one step, in the file or in the library."
  package static let effect = ActionEffect.writes
  package static let parameters = [
    ActionParameter.document,
    ActionParameter("passage", .passage, "The passage.", isRequired: true),
    ActionParameter(
      "toggle", .choice(FormatRequest.toggleNames),
      "A format that is removed if the whole passage has it, else applied."),
    ActionParameter(
      "set", .values(FormatAttributeParser.names),
      "Attributes with their values, as `diple format` takes them."),
    ActionParameter(
      "clear", .list(.choice(FormatAttributeParser.names)),
      "Attributes to reset to the values of the style; can be combined with 'set'."),
    ActionParameter("heading", .integer, "The level of a heading, 1 to 6; 0 for ordinary text."),
    ActionParameter("link", .text, "The address of a link; empty to remove links."),
    ActionParameter("style", .text, "The name of a paragraph style; \"none\" removes the style."),
    ActionParameter("reset", .flag, "Removes all formatting that the library stores."),
    ActionParameter("paste", .text, "The name of a copied format to apply."),
    ActionParameter(
      "paragraphs", .flag, "Whether 'reset' and 'paste' apply to whole paragraphs as well."),
    ActionParameter("keepFile", .flag, "Stores everything in the library."),
    .dryRun,
  ]
  package static let examples = [
    FormatPassage(
      document: .example, passage: example, toggle: "bold", keepFile: true, dryRun: true),
    FormatPassage(
      document: .example, passage: example, set: ["indent first": "36", "size": "12.5"],
      clear: ["font"]),
    FormatPassage(document: .example, passage: example, heading: 2),
    FormatPassage(document: .example, passage: example, link: "https://example.org"),
    FormatPassage(document: .example, passage: example, style: "Block Quote"),
    FormatPassage(document: .example, passage: example, reset: true, paragraphs: true),
    FormatPassage(document: .example, passage: example, paste: "default"),
  ]
  private static let example = RequestedPassage.spec(SelectionSpec(units: TextRange(utf16: 3..<9)))

  package var document: Document.ID
  package var passage: RequestedPassage
  package var toggle: String?
  package var set: [String: String]?
  package var clear: [String]?
  package var heading: Int?
  package var link: String?
  package var style: String?
  package var reset: Bool?
  package var paste: String?
  package var paragraphs: Bool?
  package var keepFile: Bool?
  package var dryRun: Bool?

  /// Creates the action. Exactly one format must be set, where `set` and `clear` count as one.
  package init(
    document: Document.ID, passage: RequestedPassage, toggle: String? = nil,
    set: [String: String]? = nil, clear: [String]? = nil, heading: Int? = nil, link: String? = nil,
    style: String? = nil, reset: Bool? = nil, paste: String? = nil, paragraphs: Bool? = nil,
    keepFile: Bool? = nil, dryRun: Bool? = nil
  ) {
    (self.document, self.passage, self.toggle) = (document, passage, toggle)
    (self.set, self.clear, self.heading, self.link) = (set, clear, heading, link)
    (self.style, self.reset, self.paste, self.paragraphs) = (style, reset, paste, paragraphs)
    (self.keepFile, self.dryRun) = (keepFile, dryRun)
  }

  package struct Outcome: ActionOutcome {
    package var document: Document
    /// The format in the syntax of the command, for messages.
    package var label: String
    /// The change to the file, made or previewed; nil if the file does not change.
    package var file: FileChange?
    /// The results for each passage. Empty if the format exists only in files, such as a heading or
    /// a link.
    package var passages: [FormatResult]
    /// The font that was set, if it isn't installed on this machine.
    package var missingFont: MissingFont?

    private struct Record: Encodable {
      struct Passage: Encodable {
        var quote: String
        var stored: Bool
        @Nullable var turnedOn: Bool?
        @Nullable var obstacle: String?
      }

      var document: HighlightRecord.DocumentReference
      var format: String
      @Nullable var file: FileChangeRecord?
      var passages: [Passage]
      @Nullable var missingFont: String?
    }

    package var json: String {
      JSON.line(
        "diple.formatted/2",
        Record(
          document: .init(document), format: label, file: file.map(FileChangeRecord.init),
          passages: passages.map {
            Record.Passage(
              quote: $0.quote, stored: $0.isStored, turnedOn: $0.turnedOn, obstacle: $0.obstacle)
          }, missingFont: missingFont?.name))
    }
  }

  /// Formats the passage.
  ///
  /// - Throws: the errors of `Library.format`; `usage` unless exactly one format is requested.
  package func run(in session: ActionSession) async throws -> Outcome {
    let document = try await session.document(document)
    let request = try request()
    let outcomes = try await session.library.format(
      document, try passage.scope(), request, withParagraphs: paragraphs == true ? true : nil,
      copied: paste ?? "", keepsFile: keepFile == true, dryRun: dryRun == true)
    var outcome = Outcome(document: document, label: request.label, file: nil, passages: [])
    for part in outcomes {
      switch part {
      case .file(let change): outcome.file = change
      case .stored(let result, let label):
        outcome.label = label
        outcome.file = outcome.file ?? result.file
        outcome.passages.append(result)
      }
    }
    if dryRun != true, let change = try change() {
      RecentColors(session.environment).add(change)
    }
    outcome.missingFont = await MissingFont(set, session.environment)
    return outcome
  }

  /// Returns the request for the library.
  ///
  /// - Throws: `usage` unless exactly one valid format is set.
  private func request() throws(UserError) -> FormatRequest {
    var requests: [FormatRequest] = []
    if let toggle { requests.append(try FormatRequest(toggling: toggle)) }
    if let change = try change() { requests.append(.act(.change(change), change.typed)) }
    if let heading {
      guard heading <= 6 else {
        throw UserError(.usage, "a heading has a level from 1 to 6, not \(heading)").about(
          "heading")
      }
      requests.append(.file(.heading(heading == 0 ? nil : heading)))
    }
    if let link { requests.append(.file(.link(link.isEmpty ? nil : link))) }
    if let style { requests.append(.style(style)) }
    if reset == true { requests.append(.clearing) }
    if paste != nil { requests.append(.pasting) }
    guard requests.count == 1 else {
      throw UserError(
        .usage,
        requests.isEmpty ? "the request has no format" : "the request has several formats",
        hint:
          """
          use one of toggle, set, clear, heading, link, style, reset and paste; set and clear can \
          be combined
          """
      )
    }
    return requests[0]
  }

  /// Returns the change by `set` and `clear`; nil if both are empty. Throws `usage` if one is
  /// invalid.
  private func change() throws(UserError) -> FormatChange? {
    var change = try FormatChange(set ?? [:])
    for name in (clear ?? []).sorted() { try change.add(name, "none") }
    return change.isEmpty ? nil : change
  }
}

extension FormatChange {
  /// Creates the change by a request's member `set`. Throws `usage`, with the path of the
  /// attribute, if a name or value is invalid.
  init(_ values: [String: String]) throws(UserError) {
    self.init()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      do { try add(name, value) } catch { throw error.about("set.\(name)") }
    }
  }

  /// Adds an attribute with its value; `none` clears the attribute.
  ///
  /// - Throws: `usage` for an unknown attribute or an invalid value.
  fileprivate mutating func add(_ name: String, _ value: String) throws(UserError) {
    let change = try FormatAttributeParser.change(name, value)
    characters += change.characters
    paragraphs += change.paragraphs
  }
}

extension RequestedPassage {
  /// Returns the passage for formatting. Throws `usage` if the number of ranges is not from 1 to
  /// `mostRanges`.
  fileprivate func scope() throws(UserError) -> FormatScope {
    switch self {
    case .spec(let spec): return .selected(spec)
    case .ranges(let ranges, let text):
      guard 1...Self.mostRanges ~= ranges.count else {
        throw UserError(
          .usage, "'passage.ranges' must have 1 to \(Self.mostRanges) ranges, not \(ranges.count)"
        ).about("passage.ranges")
      }
      return .passages(ranges, of: text)
    }
  }
}
