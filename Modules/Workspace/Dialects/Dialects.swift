package import Files
import Glibc
package import MarkdownParse
import Synchronization
import SystemSupport

/// Chooses the dialect in which each document is parsed. All callers choose dialects through this
/// class.
///
/// A rule of the user has precedence. Without one the dialect is detected from the settings files
/// of known tools in the document's folder and the folders above it.
///
/// ```swift
/// let dialects = Dialects(root: "/home/ann/notes", home: "/home/ann")
/// let choice = dialects.choice(for: "/home/ann/notes/vault/idea.md")
/// choice.dialect  // .obsidian if vault/ or notes/ contains .obsidian
/// choice.reason   // "found .obsidian in vault/"
/// ```
///
/// The class is thread-safe.
package final class Dialects: Sendable {
  private struct State {
    var rules: DialectRules
    /// The dialect detected for each folder since the last `forget`; nil for a folder without a
    /// known tool.
    var found: [String: DialectChoice?] = [:]
    /// The folder and the result of the last query. It is stored separately because consecutive
    /// files are usually in the same folder.
    var last: (folder: String, found: DialectChoice?)?
  }

  /// The folder to which relative paths refer and above which detection does not go; nil if
  /// documents may be anywhere.
  private let root: String?
  private let home: String?
  private let state: Mutex<State>

  /// The maximum number of folders that are checked on the way up.
  private static let deepest = 32

  /// Creates a chooser that applies rules and detects dialects below a root.
  ///
  /// - Parameters:
  ///   - root: the library's root folder, absolute; nil if documents may be anywhere.
  ///   - home: the user's home folder, absolute. Detection stops before it, because settings files
  ///     in it apply to no particular document.
  package init(root: String?, home: String?, rules: DialectRules = DialectRules()) {
    (self.root, self.home) = (root, home)
    state = Mutex(State(rules: rules))
  }

  /// The user's rules. Setting them keeps the detected dialects.
  package var rules: DialectRules {
    get { state.withLock { $0.rules } }
    set { state.withLock { $0.rules = newValue } }
  }

  /// Discards the detected dialects, so that the folders are checked again.
  package func forget() { state.withLock { ($0.found, $0.last) = ([:], nil) } }

  /// Returns the dialect of the file at an absolute path.
  ///
  /// If no rule sets it, a few system calls are made for each folder between the file and the root.
  /// The results are cached until the next call of `forget`.
  package func choice(for path: String) -> DialectChoice {
    state.withLock { state in
      let rule = state.rules.folders.isEmpty ? nil : folderRule(for: path, state.rules)
      if let rule, let dialect = rule.dialect {
        return DialectChoice(
          dialect, because: "set for \(rule.path) by \(state.rules.foldersOrigin)")
      }
      if rule == nil, let dialect = state.rules.dialect {
        return DialectChoice(dialect, because: "set by \(state.rules.origin)")
      }
      let found = find(inFolderOf: path, &state)
      if found?.dialect != .docusaurus,
        path.utf8.suffix(4).elementsEqual(
          ".mdx".utf8,
          by: { a, b in
            a == b || a == b & 0xDF && b > 0x60
          })
      {
        return DialectChoice(.mdx, because: "the file's name ends in .mdx")
      }
      return found ?? DialectChoice(.standard, because: "the default")
    }
  }

  /// Returns the folder of the Obsidian vault that contains a file. It is the nearest folder with a
  /// `.obsidian` entry, from the file's folder up to the library's root or the home folder. Nil if
  /// none of these folders has one.
  package func vault(around file: String) -> String? {
    var folder = file.parentFolder
    for _ in 0..<Self.deepest {
      if Self.isThere(folder.appending(".obsidian")) { return folder }
      if folder == "/" || folder == root || folder == home { return nil }
      folder = folder.parentFolder
    }
    return nil
  }

  /// Returns the rule for the innermost folder that contains the file; nil if no rule applies.
  private func folderRule(for path: String, _ rules: DialectRules) -> DialectRules.Folder? {
    func folder(_ rule: DialectRules.Folder) -> String {
      FileSystem.absolute(rule.path, from: root ?? "/")
    }
    // Without a root, a relative path refers to nothing, so its rule is ignored.
    let applicable = rules.folders.filter { root != nil || $0.path.hasPrefix("/") }
    return applicable.filter { path.isBelow(folder($0)) }
      .max { folder($0).utf8.count < folder($1).utf8.count }
  }

  /// Returns the dialect detected in the folder of a file or above it, from the cache if the last
  /// query was for the same folder.
  private func find(inFolderOf path: String, _ state: inout State) -> DialectChoice? {
    if let last = state.last, Self.isDirectly(in: last.folder, path) { return last.found }
    let folder = path.parentFolder
    let found = find(in: folder, &state)
    state.last = (folder, found)
    return found
  }

  /// Returns whether a file is directly in a folder, not in a subfolder. Both paths are absolute.
  private static func isDirectly(in folder: String, _ path: String) -> Bool {
    var (folder, path) = (folder, path)
    // Compare the bytes with `memcmp`. Comparing the strings would take a quarter of the time of a
    // check of all files.
    return folder.withUTF8 { folder in
      path.withUTF8 { path in
        guard let start = path.baseAddress, let other = folder.baseAddress,
          path.count > folder.count, path[folder.count] == UInt8(ascii: "/"),
          memcmp(start, other, folder.count) == 0
        else { return false }
        let nameStart = folder.count + 1
        return memchr(start + nameStart, 0x2F, path.count - nameStart) == nil
      }
    }
  }

  /// Returns the dialect detected in a folder or above it. The search ends at the root, before the
  /// home folder, or at the top of a repository that is outside the root.
  private func find(in folder: String, _ state: inout State) -> DialectChoice? {
    var passed: [String] = []
    var result: DialectChoice?
    var current = folder
    while passed.count < Self.deepest, current != home {
      if let known = state.found[current] {
        result = known
        break
      }
      passed.append(current)
      if let found = Self.mark(in: current) {
        result = DialectChoice(found.dialect, because: "found \(found.name) in \(shown(current))")
        break
      }
      guard let next = Self.folderAbove(current, below: root) else { break }
      current = next
    }
    for folder in passed { state.found[folder] = .some(result) }
    return result
  }

  /// Returns the folder in which the search continues; nil if it ends at `folder`: at the root, or
  /// at the top of a repository that is outside the root.
  private static func folderAbove(_ folder: String, below root: String?) -> String? {
    let isInside = root.map(folder.isBelow) ?? false
    if folder == "/" || folder == root { return nil }
    // Outside the root, settings above a repository do not apply to its files.
    if !isInside, isThere(folder.appending(".git")) { return nil }
    return folder.parentFolder
  }

  /// Returns the nearest folder with the settings of a known tool, from a folder upwards, and the
  /// dialect of the tool. Nil if no folder has such settings.
  static func mark(aroundFolder folder: String, below root: String?, home: String?)
    -> (folder: String, dialect: MarkdownDialect)?
  {
    var current: String? = folder
    for _ in 0..<deepest {
      guard let folder = current, folder != home else { return nil }
      if let found = mark(in: folder) { return (folder, found.dialect) }
      current = folderAbove(folder, below: root)
    }
    return nil
  }

  /// Returns the folder's path for display: relative to the root if it is below it, with a trailing
  /// slash.
  private func shown(_ folder: String) -> String {
    guard let root else { return folder + "/" }
    if folder == root { return root.lastComponent + "/" }
    guard folder.isBelow(root) else { return folder + "/" }
    return folder.dropFirst(root == "/" ? 1 : root.count + 1) + "/"
  }

  private static let marks: [(name: String, dialect: MarkdownDialect)] = [
    (".obsidian", .obsidian), ("mkdocs.yml", .mkdocs), ("docusaurus.config.js", .docusaurus),
    ("docusaurus.config.ts", .docusaurus), ("docusaurus.config.mjs", .docusaurus),
    ("docusaurus.config.cjs", .docusaurus), ("myst.yml", .myst), ("_quarto.yml", .pandoc),
    ("_config.yml", .jekyll), ("hugo.toml", .hugo), ("hugo.yaml", .hugo), ("hugo.yml", .hugo),
    ("hugo.json", .hugo), ("config/_default", .hugo),
  ]

  /// Hugo's former names of its settings file. Other tools use these names too.
  private static let sharedNames = ["config.toml", "config.yaml", "config.yml", "config.json"]

  /// Returns the first known settings file or folder in a folder, with the dialect of its tool; nil
  /// if the folder contains none of them.
  private static func mark(in folder: String) -> (name: String, dialect: MarkdownDialect)? {
    guard let mark = marks.first(where: { isThere(folder.appending($0.name)) }) else {
      // These files are Hugo's only if one of Hugo's folders is beside them.
      guard let name = sharedNames.first(where: { isThere(folder.appending($0)) }),
        isThere(folder.appending("archetypes")) || isThere(folder.appending("layouts"))
      else { return nil }
      return (name, .hugo)
    }
    // Jupyter Book also has a `_config.yml`, next to its own `_toc.yml`.
    if mark.dialect == .jekyll, isThere(folder.appending("_toc.yml")) { return ("_toc.yml", .myst) }
    return mark
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

extension ParsedDocument {
  /// Parses a source in a dialect. O(bytes).
  package init(parsing source: MarkdownSource, in dialect: MarkdownDialect) {
    self.init(parsing: source, options: dialect.options)
  }

  /// The dialect in which the document was parsed; `standard` if its options are not those of a
  /// dialect.
  package var dialect: MarkdownDialect { mapped.dialect }
}

extension MappedText {
  /// The dialect in which the document was parsed; `standard` if its options are not those of a
  /// dialect.
  var dialect: MarkdownDialect {
    MarkdownDialect.allCases.first { $0.options == options } ?? .standard
  }
}

extension Dialects {
  /// Parses a file in the dialect chosen for its path. O(bytes).
  package func parse(_ file: SourceFile) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(file.bytes), in: choice(for: file.path).dialect)
  }
}
