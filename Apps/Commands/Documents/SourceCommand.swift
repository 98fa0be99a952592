import Actions
import ArgumentParser
import Console
import Interchange
import Model
import Rendering
import SystemSupport
import Workspace

/// The `source` command, which shows and sets the bibliographic sources of documents.
struct SourceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source",
    abstract: "Show and set a document's bibliographic source.",
    discussion: """
      The source is used by `copy --cite`, cards and exports. Values set here override those of \
      the file's front matter; the file is not changed.

      Examples:
        diple source set room.md --author 'Woolf, Virginia' --date 1929
        diple source show --as bibtex -o refs.bib
      """,
    subcommands: [Show.self, Set.self, Link.self], defaultSubcommand: Show.self)

  /// The source of a document, an element of `diple.sources/1`.
  struct Record: Encodable {
    /// A variable, its value in one line, and the origin of the value.
    struct VariableRecord: Encodable {
      var name: String
      var text: String
      var from: DocumentSource.Origin
    }

    var document: HighlightRecord.DocumentReference
    var key: String
    var citation: String
    var variables: [VariableRecord]

    init(_ document: Document, _ source: DocumentSource) {
      let whole = source.whole
      self.document = HighlightRecord.DocumentReference(document)
      key = whole.key
      citation = Citation(whole).text
      variables = SourceCommand.variables(of: source).map {
        VariableRecord(name: $0.name, text: $0.text, from: $0.origin)
      }
    }
  }

  /// Returns the variables that have a value, in display order.
  private static func variables(of source: DocumentSource)
    -> [(name: String, text: String, origin: DocumentSource.Origin)]
  {
    let whole = source.whole
    return whole.values.keys.sorted { order($0) < order($1) }.compactMap { variable in
      let text = whole.text(variable)
      guard !text.isEmpty, let origin = source.origin(of: variable) else { return nil }
      return (variable.rawValue, text, origin)
    }
  }

  /// Prints the source of a document.
  ///
  /// - Parameter start: a line to print before the source, if not empty.
  static func show(
    _ document: Document, _ source: DocumentSource, after start: String = "",
    _ options: GlobalOptions, _ context: CommandContext
  ) {
    context.answer(options, "diple.sources/1", [Record(document, source)]) {
      let output = context.terminal.output
      if !start.isEmpty { output.line(start.sanitizedForTerminal) }
      for (name, text, origin) in variables(of: source) {
        let note =
          switch origin {
          case .set: ""
          case .file: "  (front matter)"
          case .import: "  (import)"
          case .title: "  (title of the document)"
          }
        output.line("\(name.padded(to: 16))  \(text.sanitizedForTerminal)\(note)")
      }
    }
  }

  /// Returns the sort key of a variable: the most important ones are first, the others follow by
  /// name.
  private static func order(_ variable: Source.Variable) -> String {
    let first: [Source.Variable] = [
      .type, .author, .editor, .title, .container, .publisher, .issued, .page, .url, .doi, .isbn,
    ]
    return first.firstIndex(of: variable).map { String(UnicodeScalar(UInt8(33 + $0))) }
      ?? "~" + variable.rawValue
  }
}
