package import MarkdownParse
import SystemSupport

/// The user's settings of the dialects in which documents are parsed.
///
/// ```swift
/// let rules = DialectRules(
///   origin: "config.toml",
///   folders: [.init(path: "vault", dialect: .obsidian)], foldersOrigin: "dialects.toml")
/// ```
package struct DialectRules: Hashable, Sendable {
  /// A rule that sets the dialect of a folder and its subfolders.
  package struct Folder: Hashable, Sendable {
    /// The folder's path, absolute or relative to the library's root folder.
    package var path: String
    /// The dialect; nil to detect it.
    package var dialect: MarkdownDialect?

    package init(path: String, dialect: MarkdownDialect?) {
      (self.path, self.dialect) = (path, dialect)
    }
  }

  /// The dialect of all documents that no folder rule applies to; nil to detect it for each
  /// document.
  package var dialect: MarkdownDialect?
  /// The name of the setting that `dialect` is from, for explaining a choice.
  package var origin: String
  /// The rules for single folders. They override `dialect`. If several apply, the rule of the
  /// innermost folder is used.
  package var folders: [Folder]
  /// The name of the setting that `folders` are from, for explaining a choice.
  package var foldersOrigin: String

  /// Creates rules. Without arguments, every document's dialect is detected.
  package init(
    dialect: MarkdownDialect? = nil, origin: String = "", folders: [Folder] = [],
    foldersOrigin: String = ""
  ) {
    (self.dialect, self.origin) = (dialect, origin)
    (self.folders, self.foldersOrigin) = (folders, foldersOrigin)
  }
}

/// The dialect of one document, with the reason for it.
package struct DialectChoice: Hashable, Sendable {
  /// The dialect in which the document is parsed.
  package var dialect: MarkdownDialect
  /// The reason, as shown to the user: `found .obsidian in notes/`.
  package var reason: String

  package init(_ dialect: MarkdownDialect, because reason: String) {
    (self.dialect, self.reason) = (dialect, reason)
  }
}
