import Actions
import ArgumentParser
import Console
import Model
import SystemSupport
import Workspace

extension SourceCommand {
  /// The `source set` command. Only the named variables change. An empty value removes a variable.
  struct Set: ActionCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Set the source of a document.",
      discussion: """
        For several authors, repeat the option, or write `;` between their names. An empty value \
        removes the stored value; the value in the file's front matter is used instead.

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
    @Option(help: "Address on the web.") var url: String?
    @Option(help: "Digital object identifier (DOI).") var doi: String?
    @Option(help: "International standard book number (ISBN).") var isbn: String?
    @Option(help: "Kind of work, as CSL names it: book, article-journal, webpage …")
    var type: String?
    @Option(help: "Key for citations in texts, such as woolf1929.") var key: String?
    @Option(
      name: .customLong("set"),
      help: ArgumentHelp(
        "Any other variable of CSL, such as volume=3; can be repeated.", valueName: "name=value"))
    var others: [String] = []
    @Argument(help: "Path, title, a unique part of either, or id.", completion: .values(.document))
    var doc: String

    func request(in context: CommandContext) async throws -> SetSource {
      let changes = try self.changes()
      guard !changes.isEmpty else {
        throw UserError(.usage, "nothing to set", hint: "use --title, --author, --url …")
      }
      return SetSource(
        document: try await DocCommand.subject(doc, options, context).document.id, set: changes,
        dryRun: writing.dryRun)
    }

    func write(_ outcome: SourcesOutcome, to context: CommandContext) {
      guard let document = outcome.sources.first?.document else { return }
      SourceCommand.show(
        outcome,
        after: "\(writing.verb(.set)) the source of \(context.paths.name(document.path))", context)
    }

    /// Returns the variables named by options, and their new values. An empty value removes a
    /// variable.
    ///
    /// - Throws: ``UserError`` with the code `usage` if a value of `--set` isn't NAME=VALUE or
    ///   names an unknown variable.
    private func changes() throws(UserError) -> [String: String] {
      var changes: [String: String] = [:]
      let single: [(Source.Variable, String?)] = [
        (.title, title), (.issued, date), (.container, container), (.publisher, publisher),
        (.page, page), (.url, url), (.doi, doi), (.isbn, isbn), (.type, type), (.citationKey, key),
      ]
      for (variable, text) in single { changes[variable.rawValue] = text }
      for (variable, names) in [
        (Source.Variable.author, author), (.editor, editor), (.translator, translator),
      ] where !names.isEmpty {
        changes[variable.rawValue] = names.joined(separator: "; ")
      }
      for other in others {
        guard let sign = other.firstIndex(of: "="),
          Source.Variable(rawValue: String(other[..<sign])) != nil
        else {
          throw UserError(
            .usage, "expected NAME=VALUE with a variable of CSL, not '\(other)'",
            hint: "for example: --set volume=3")
        }
        changes[String(other[..<sign])] = String(other[sign...].dropFirst())
      }
      return changes
    }
  }
}
