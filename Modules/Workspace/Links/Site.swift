package import MarkdownParse
import Rendering
import SystemSupport

/// A website or vault whose tool looks up links in folders other than that of the linking file.
///
/// ```swift
/// let site = Site(around: "/home/ann/blog/content/posts/a.md", below: nil, home: "/home/ann")
/// site?.files(of: "/images/x.png", from: "/home/ann/blog/content/posts/a.md").first
/// // "/home/ann/blog/static/images/x.png"
/// ```
package struct Site: Hashable, Sendable {
  /// The dialect of the tool.
  package let dialect: MarkdownDialect
  /// The absolute path of the folder that contains the tool's settings.
  package let folder: String

  /// Returns the nearest site whose settings are in the folder of a file or above it, with the
  /// limits that apply to the detection of dialects. Nil if there is none.
  ///
  /// - Parameters:
  ///   - root: the library's root folder, absolute; nil if documents may be anywhere.
  ///   - home: the user's home folder, absolute.
  package init?(around file: String, below root: String?, home: String?) {
    guard let found = Dialects.mark(aroundFolder: file.parentFolder, below: root, home: home),
      !Self.folders(of: found.dialect).isEmpty
    else { return nil }
    (dialect, folder) = (found.dialect, found.folder)
  }

  /// Returns the folders that may contain the target of an address from the site's root, in the
  /// order in which the tool looks. Empty if the tool does not resolve such addresses.
  private static func folders(of dialect: MarkdownDialect) -> [String] {
    switch dialect {
    case .hugo: ["static", "assets", "content"]
    case .mkdocs: ["docs"]
    case .docusaurus: ["static", "", "docs", "src/pages"]
    case .jekyll, .obsidian: [""]
    default: []
    }
  }

  /// The endings of the files from which the tool makes the page of an address.
  private var endings: [String] {
    switch dialect {
    case .hugo: ["", ".md", "/index.md", "/_index.md"]
    case .mkdocs: ["", ".md", "/index.md", "/README.md"]
    case .docusaurus: ["", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md"]
    case .jekyll: ["", ".md", "/index.md"]
    default: ["", ".md"]
    }
  }

  /// Whether the tool serves `a.md` as `a/`, so that relative addresses begin in that folder.
  private var hasFolderAddresses: Bool { dialect == .hugo || dialect == .mkdocs }

  /// Returns the absolute paths of the files that a relative or rooted destination may refer to, in
  /// the order in which they are looked for. The paths need not exist. All but those relative to
  /// the linking file are below the site's folder.
  ///
  /// - Parameter file: the absolute path of the file that contains the link.
  package func files(of destination: String, from file: String) -> [String] {
    guard case .file(let path, _) = LinkTarget(destination, from: file) else { return [] }
    var files: [String] = []
    func add(_ path: String) {
      files += endings.map { path + $0 }
      for ending in [".html", ".htm"] where dialect == .jekyll && path.hasSuffix(ending) {
        files.append(path.dropLast(ending.count) + ".md")
      }
    }
    let isRooted = destination.hasPrefix("/")
    if !isRooted {
      add(path)
      if hasFolderAddresses, !Self.indexNames.contains(String(file.lastComponent)),
        case .file(let path, _) = LinkTarget(destination, from: file + "/index")
      {
        // The address of `posts/a.md` is `posts/a/`, and the folder's name does not matter.
        add(path)
      }
      // The first folders of the other tools contain no pages.
      guard dialect == .hugo || dialect == .obsidian else { return files }
    }
    // A path from the root cannot lead out of it, because `..` is resolved first.
    guard
      case .file(let inner, _) = LinkTarget(isRooted ? destination : "/" + destination, from: "/")
    else { return files }
    var bases = isRooted || dialect != .hugo ? Self.folders(of: dialect) : ["content"]
    if let language = languageFolder(of: file) { bases.insert(language, at: bases.count - 1) }
    for base in bases { add(base.isEmpty ? folder + inner : folder + "/" + base + inner) }
    return files
  }

  /// Returns the folder in Hugo's content, such as `content/en`, that has the pages of a file's
  /// language; nil if the languages are not in separate folders.
  private func languageFolder(of file: String) -> String? {
    let content = folder.appending("content")
    guard dialect == .hugo, file.isBelow(content),
      let name = file.dropFirst(content.count + 1).split(separator: "/").first
    else { return nil }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    let isLanguage =
      parts[0].count <= 3 && parts.count <= 2
      && parts.allSatisfy { 2...4 ~= $0.count && $0.allSatisfy { $0.isASCII && $0.isLetter } }
    return isLanguage ? "content/\(name)" : nil
  }

  /// The names of the files that are served as the folder that contains them.
  private static let indexNames: Set<String> = ["index.md", "_index.md", "README.md"]

  /// Returns the absolute paths of the folders to which the destination of a picture can refer, such
  /// as that of `static`; empty if the destination is not rooted.
  package func folders(ofPicture destination: String) -> [String] {
    guard destination.hasPrefix("/"), !destination.hasPrefix("//") else { return [] }
    return Self.folders(of: dialect).map { $0.isEmpty ? folder : folder.appending($0) }
  }
}

extension LibraryLocation {
  /// Returns the site that contains a file; nil if there is none.
  package func site(around file: String) -> Site? { Site(around: file, below: root, home: home) }
}
