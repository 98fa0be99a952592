package import ArgumentParser
import BuiltIn
package import Model
package import Workspace

/// The kind of value that an argument accepts, such as a document or a tag. It is declared with the
/// argument's `completion:`. Completion and ``CommandLineTokenizer`` read it from there.
package enum ArgumentValues: String, Sendable, CaseIterable {
  /// The path, title or id of a document.
  case document
  /// The id of a highlight.
  case highlight
  /// A highlight in the trash, a removed document, or either of them.
  case trashedHighlight = "trashed-highlight"
  case removedDocument = "removed-document"
  case trashed
  case documentOrHighlight = "document-or-highlight"
  /// A selection in the grammar of `SelectionSpec`.
  case spec
  /// The arguments of `extend` and `adjust`: `[DOC SPEC]`, followed by a SPEC or `±N UNIT`.
  case extent
  /// The arguments of `format`: `ATTRIBUTE [VALUE] [DOC] SPEC`.
  case format
  case style
  /// A colour of highlights, or its label.
  case color
  /// A tag that at least one highlight has.
  case tag
  /// The name of a saved search.
  case query
  /// The name of a setting.
  case setting
  /// A value of the setting that is named by the preceding word.
  case settingValue = "setting-value"
  /// The id of an installed plugin.
  case plugin
  /// The id of a strategy. Each of these cases is one kind of strategy.
  case searchStrategy = "search-strategy"
  case highlightStrategy = "highlight-strategy"
  case renderer, importer, exporter, card
  /// Free text, which has no completions.
  case none

  /// Whether a quotation mark at the start of a word of this kind is part of the word.
  package var keepsQuotes: Bool { [.spec, .extent, .format].contains(self) }

  /// The name of the hidden command that lists such values.
  package static let command = "---values"
}

extension CompletionKind {
  /// Declares the values of an argument. If the argument accepts several words, pass the kind of
  /// the first word, of the second and so on. The last kind applies to all further words.
  ///
  /// - Parameter documents: the documents to check; nil for all. If a running daemon reports that
  ///   the library is up to date with all files, nil checks none.
  /// The kinds are encoded as a shell command that lists the values, because that is the only form
  /// in which `ArgumentParser` includes them in its dump of a command.
  package static func values(_ kinds: ArgumentValues...) -> CompletionKind {
    .shellCommand(
      (["diple", ArgumentValues.command] + kinds.map(\.rawValue)).joined(separator: " "))
  }
}

extension ArgumentHelp {
  /// Returns the help for an option that accepts the id of a strategy. The text lists the ids of
  /// the built-in strategies and `others`.
  package static func strategy<S>(
    _ what: String, _ kind: KeyPath<PluginSet, Registry<S>>, and others: [String] = []
  ) -> ArgumentHelp {
    let ids = (PluginSet.builtIn[keyPath: kind].entries.map(\.id) + others)
      .joined(separator: ", ")
    return ArgumentHelp("\(what): \(ids), or a plugin; `strategies` describes them.")
  }
}
