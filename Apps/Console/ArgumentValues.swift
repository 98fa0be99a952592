package import ArgumentParser
import BuiltIn
package import Model
package import Workspace

/// What the words of an argument stand for. An argument says so where it is declared, by its
/// `completion:`; completion and the division of a line into words both read it there.
package enum ArgumentValues: String, Sendable, CaseIterable {
  /// The path or title of a document.
  case document
  /// The id of a highlight.
  case highlight
  /// A highlight in the trash, a document that was removed, or either.
  case trashedHighlight = "trashed-highlight"
  case removedDocument = "removed-document"
  case trashed
  /// A document or a highlight.
  case documentOrHighlight = "document-or-highlight"
  /// A selection in the grammar of `SelectionSpec`.
  case spec
  /// What `extend` and `adjust` take: `[DOC SPEC]` and a SPEC or `±N UNIT`.
  case extent
  /// What `format` takes: `ATTRIBUTE [VALUE] [DOC] SPEC`.
  case format
  /// The name of a style.
  case style
  /// A tag that highlights have.
  case tag
  /// The name of a saved search.
  case query
  /// The name of a setting.
  case setting
  /// The value of the setting whose name stands before it.
  case settingValue = "setting-value"
  /// The id of an installed plugin.
  case plugin
  /// The id of a strategy of one kind.
  case searchStrategy = "search-strategy"
  case highlightStrategy = "highlight-strategy"
  case renderer, importer, exporter, card
  /// Anything: there is nothing to offer.
  case none

  /// Whether a quotation mark at the start of such a word belongs to it.
  package var keepsQuotes: Bool { [.spec, .extent, .format].contains(self) }

  /// The hidden command that lists such values.
  package static let command = "---values"
}

extension CompletionKind {
  /// The values of an argument; of one that takes several words, the kinds of the first, the second
  /// and so on, the last one for all that follow.
  ///
  /// It is a command that lists them, so that it is part of what `ArgumentParser` tells of a command.
  package static func values(_ kinds: ArgumentValues...) -> CompletionKind {
    .shellCommand(
      (["diple", ArgumentValues.command] + kinds.map(\.rawValue)).joined(separator: " "))
  }
}

extension ArgumentHelp {
  /// Help for an option that takes the id of a strategy: those that come with Diple are listed.
  package static func strategy<S>(
    _ what: String, _ kind: KeyPath<PluginSet, Registry<S>>, and others: [String] = []
  ) -> ArgumentHelp {
    let ids = (PluginSet.builtIn[keyPath: kind].entries.map(\.id) + others)
      .joined(separator: ", ")
    return ArgumentHelp("\(what): \(ids), or a plugin; `strategies` describes them.")
  }
}
