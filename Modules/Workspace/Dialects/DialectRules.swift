package import MarkdownParse
import SystemSupport

/// What a person has set about the dialects of documents.
package struct DialectRules: Hashable, Sendable {
  /// The dialect of a folder and of all below it.
  package struct Folder: Hashable, Sendable {
    /// Relative to the library's root folder, or absolute.
    package var path: String
    /// The dialect; nil for the one that is found.
    package var dialect: MarkdownDialect?

    /// Makes a rule.
    package init(path: String, dialect: MarkdownDialect?) {
      (self.path, self.dialect) = (path, dialect)
    }
  }

  /// The dialect of all documents; nil for the one that is found for each.
  package var dialect: MarkdownDialect?
  /// Where it is set, for those who ask.
  package var origin: String
  /// The dialects of single folders, which come before it.
  package var folders: [Folder]
  /// Where these are set.
  package var foldersOrigin: String

  /// Makes rules; without words none is set.
  package init(
    dialect: MarkdownDialect? = nil, origin: String = "", folders: [Folder] = [],
    foldersOrigin: String = ""
  ) {
    (self.dialect, self.origin) = (dialect, origin)
    (self.folders, self.foldersOrigin) = (folders, foldersOrigin)
  }
}

/// The dialect of one document, and why it is that one.
package struct DialectChoice: Hashable, Sendable {
  /// The dialect.
  package var dialect: MarkdownDialect
  /// Why: `found .obsidian in notes/`.
  package var reason: String

  /// Makes a choice.
  package init(_ dialect: MarkdownDialect, because reason: String) {
    (self.dialect, self.reason) = (dialect, reason)
  }
}
