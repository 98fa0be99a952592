import ArgumentParser
import Console
import Interchange
import Model
import SystemSupport
import Workspace

extension SourceCommand {
  /// The `source set` command. Only the named variables change. An empty value removes a variable.
  struct Set: ContextCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Set the source of a document.",
      discussion: """
        Several authors are several options, or one with `;` between them. An empty value removes \
        the value that was set, so that the file's own is used again.

        Examples:
          diple source set room.md --author 'Woolf, Virginia' --date 1929 --publisher 'Hogarth Press'
          diple source set room.md --set collection-title='Collected Essays' --page ''
        """)
    @OptionGroup var options: GlobalOptions
    @OptionGroup var writing: WriteOptions
    @Option(help: "Title of the work.") var title: String?
    @Option(
      help: "Author, as 'Family, Given' or 'Given Family'; an organization in braces: '{W3C}'.")
    var author: [String] = []
    @Option(help: "Editor.") var editor: [String] = []
    @Option(help: "Translator.") var translator: [String] = []
    @Option(help: "Date: 1929, 1929-10 or 1929-10-24.") var date: String?
    @Option(help: "Journal, book or site that contains the work.") var container: String?
    @Option(help: "Publisher.") var publisher: String?
    @Option(help: "Pages of the work in its container, such as 45-67.") var page: String?
    @Option(help: "Address.") var url: String?
    @Option(help: "Digital object identifier.") var doi: String?
    @Option(help: "Book number.") var isbn: String?
    @Option(help: "Kind of work in CSL's words, such as book, article-journal, webpage.")
    var type: String?
    @Option(help: "Key by which texts cite it.") var key: String?
    @Option(
      name: .customLong("set"),
      help: ArgumentHelp("Any other variable of CSL.", valueName: "name=value"))
    var others: [String] = []
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String

    func run(in context: CommandContext) async throws {
      let changes = try self.changes()
      guard !changes.isEmpty else {
        throw UserError(.usage, "nothing to set", hint: "use --title, --author, --url …")
      }
      let (library, document) = try await DocCommand.subject(doc, options, context)
      let old = try await library.source(of: document)
      var userSource = old.userSource
      for (variable, text) in changes { userSource.set(variable, typed: text) }
      let changed = try await library.source(
        of: document, setting: userSource, dryRun: writing.dryRun)
      SourceCommand.show(
        document, changed,
        after: "\(writing.verb(.set)) the source of \(document.path.string)", options, context)
    }

    /// Returns the variables named by options, and their new values. An empty value removes a
    /// variable.
    ///
    /// - Throws: ``UserError`` with the code `usage` for an invalid value.
    private func changes() throws -> [(Source.Variable, String)] {
      var changes: [(Source.Variable, String)] = []
      let single: [(Source.Variable, String?)] = [
        (.title, title), (.issued, date), (.container, container), (.publisher, publisher),
        (.page, page), (.url, url), (.doi, doi), (.isbn, isbn), (.type, type), (.citationKey, key),
      ]
      for (variable, text) in single { if let text { changes.append((variable, text)) } }
      for (variable, names) in [
        (Source.Variable.author, author), (.editor, editor), (.translator, translator),
      ] where !names.isEmpty {
        changes.append((variable, names.joined(separator: "; ")))
      }
      for other in others {
        guard let sign = other.firstIndex(of: "="),
          let variable = Source.Variable(rawValue: String(other[..<sign]))
        else {
          throw UserError(
            .usage, "'\(other)' is no NAME=VALUE", hint: "for example: --set volume=3")
        }
        changes.append((variable, String(other[sign...].dropFirst())))
      }
      for (variable, text) in changes where !text.isEmpty { try Self.check(variable, text) }
      return changes
    }

    private static func check(_ variable: Source.Variable, _ text: String) throws {
      switch variable {
      case .isbn where !text.split(separator: ",").allSatisfy({ Source.isISBN($0.oneLine) }):
        throw UserError(
          .usage, "'\(text)' is no ISBN: it has 10 or 13 digits, and the last checks the others")
      case .doi where !Source.bareDOI(text).hasPrefix("10.") || !text.contains("/"):
        throw UserError(.usage, "invalid DOI: '\(text)'", hint: "for example: 10.1000/182")
      case .url where !text.contains(":"):
        throw UserError(
          .usage, "invalid address: '\(text)'", hint: "for example: https://example.org/page")
      case .issued
      where SourceDate(text).year == nil && text.allSatisfy({ $0.isNumber || "-/.".contains($0) }):
        throw UserError(
          .usage, "invalid date: '\(text)'", hint: "write 1929, 1929-10 or 1929-10-24")
      case .citationKey
      where text.contains(where: { $0.isWhitespace || "{}[],#%\\\"'@".contains($0) }):
        throw UserError(
          .usage, "invalid key: '\(text)'", hint: "letters, digits and -_:. make one: woolf1929")
      case .type where !Source.kinds.contains(text):
        throw UserError(
          .usage, "CSL has no kind of work '\(text)'",
          hint: "the usual ones are book, article-journal, chapter, thesis, report and webpage")
      default: break
      }
    }
  }
}
