import Interchange
import Model

/// Writes metadata as front matter in YAML.
enum FrontMatterText {
  /// Returns the front matter with an empty line after it. Its keys are those from which
  /// `Workspace` reads sources.
  ///
  /// - Parameters:
  ///   - book: the title of the book, for a chapter.
  ///   - kind: the CSL type of the work.
  static func of(_ origin: FetchAnswer.Origin, kind: String, book: String = "") -> String {
    var lines: [String] = []
    func add(_ key: String, _ value: String) {
      if !value.isEmpty { lines.append("\(key): \(YAMLText.quoted(value))") }
    }
    add("title", origin.title)
    switch origin.authors.count {
    case 0: break
    case 1: add("author", origin.authors[0])
    default:
      let names = origin.authors.map { YAMLText.quoted($0) }
      lines.append("author: [" + names.joined(separator: ", ") + "]")
    }
    add("date", origin.date)
    lines.append("csl-type: \(kind)")
    add("container-title", book.isEmpty ? origin.site : book)
    if origin.publisher != origin.site { add("publisher", origin.publisher) }
    add("language", origin.language)
    add("isbn", origin.isbn)
    add("url", origin.url)
    return lines.isEmpty ? "" : "---\n" + lines.joined(separator: "\n") + "\n---\n\n"
  }
}
