package import Files
import Glibc
package import MarkdownParse
import Synchronization
import SystemSupport

/// Which dialect each document is in: the one place that decides it.
package final class Dialects: Sendable {
  private struct State {
    var rules: DialectRules
    /// What was found in each folder since the last `forget`; nil where nothing says a dialect.
    var found: [String: DialectChoice?] = [:]
    /// The folder that was asked for last, and what was found for it: most files follow one of their
    /// own folder.
    var last: (folder: String, found: DialectChoice?)?
  }

  /// The folder that relative paths count from and beyond which nothing is looked for; nil where
  /// documents lie anywhere.
  private let root: String?
  private let home: String?
  private let state: Mutex<State>

  /// How many folders upwards are looked at.
  private static let deepest = 32

  /// Decides by rules, and by what is found below a root.
  ///
  /// - Parameter home: the person's home folder, in which nothing is looked for.
  package init(root: String?, home: String?, rules: DialectRules = DialectRules()) {
    (self.root, self.home) = (root, home)
    state = Mutex(State(rules: rules))
  }

  /// What is set.
  package var rules: DialectRules {
    get { state.withLock { $0.rules } }
    set { state.withLock { $0.rules = newValue } }
  }

  /// Forgets what was found in folders: a new look at files begins.
  package func forget() { state.withLock { ($0.found, $0.last) = ([:], nil) } }

  /// The dialect of the file at an absolute path. Where nobody has set it, a few calls of the system for
  /// each folder between the file and the root, once between two calls of `forget`.
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
      return found ?? DialectChoice(.standard, because: "nothing says another")
    }
  }

  /// The folder of the vault that holds a file: the nearest with `.obsidian` in it, up to the root; nil
  /// for none.
  package func vault(around file: String) -> String? {
    var folder = file.parentFolder
    for _ in 0..<Self.deepest {
      if Self.isThere(folder.appending(".obsidian")) { return folder }
      if folder == "/" || folder == root || folder == home { return nil }
      folder = folder.parentFolder
    }
    return nil
  }

  /// The rule for the innermost folder around a file.
  private func folderRule(for path: String, _ rules: DialectRules) -> DialectRules.Folder? {
    func folder(_ rule: DialectRules.Folder) -> String {
      FileSystem.absolute(rule.path, from: root ?? "/")
    }
    // Without a root there is nothing that a relative path could count from.
    let meant = rules.folders.filter { root != nil || $0.path.hasPrefix("/") }
    return meant.filter { path.isBelow(folder($0)) }
      .max { folder($0).utf8.count < folder($1).utf8.count }
  }

  /// What says a dialect in the folder of a file or above it.
  private func find(inFolderOf path: String, _ state: inout State) -> DialectChoice? {
    if let last = state.last, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      path.utf8[..<slash].elementsEqual(last.folder.utf8)
    {
      return last.found
    }
    let folder = path.parentFolder
    let found = find(in: folder, &state)
    state.last = (folder, found)
    return found
  }

  /// What says a dialect in a folder or above it, up to the root, or to a repository or a home.
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
      let isInside = root.map(current.isBelow) ?? false
      if current == "/" || current == root { break }
      // Outside of a root, a repository is as far as one belongs together.
      if !isInside, Self.isThere(current.appending(".git")) { break }
      current = current.parentFolder
    }
    for folder in passed { state.found[folder] = .some(result) }
    return result
  }

  /// A folder as a person knows it.
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

  /// Hugo's older names of its settings, which other tools use too.
  private static let sharedNames = ["config.toml", "config.yaml", "config.yml", "config.json"]

  /// What of a tool lies in a folder.
  private static func mark(in folder: String) -> (name: String, dialect: MarkdownDialect)? {
    guard let mark = marks.first(where: { isThere(folder.appending($0.name)) }) else {
      // Beside Hugo's own folders they are Hugo's.
      guard let name = sharedNames.first(where: { isThere(folder.appending($0)) }),
        isThere(folder.appending("archetypes")) || isThere(folder.appending("layouts"))
      else { return nil }
      return (name, .hugo)
    }
    // Jupyter Book has the same file beside its own.
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

  /// The dialect that it was read in.
  package var dialect: MarkdownDialect {
    MarkdownDialect.allCases.first { $0.options == options } ?? .standard
  }
}

extension Dialects {
  /// Parses a file that was read. O(bytes).
  package func parse(_ file: SourceFile) -> ParsedDocument {
    ParsedDocument(parsing: MarkdownSource(file.bytes), in: choice(for: file.path).dialect)
  }
}
