import Model
import RichText

/// The properties in a file's `\info`.
struct RTFInfo {
  private static let limit = 2_000
  private var values: [RTFWord: [UInt16]] = [:]
  private var open = RTFWord.title

  /// Starts a property. Returns false if the file has it already: LibreOffice writes the last editor
  /// as a second author.
  mutating func begin(_ word: RTFWord) -> Bool {
    guard values[word] == nil else { return false }
    values[word] = []
    open = word
    return true
  }

  mutating func add(_ unit: UInt16) {
    if values[open, default: []].count < Self.limit { values[open, default: []].append(unit) }
  }

  /// The properties without the values that programs set by themselves.
  var properties: RichDocument.Properties {
    var properties = RichDocument.Properties()
    properties.title = title
    properties.authors = list(.author, separators: ";").filter { !Self.isDefault($0) }
    properties.subject = text(.subject)
    properties.keywords = list(.keywords, separators: ";,")
    return properties
  }

  private func text(_ word: RTFWord) -> String {
    let text = String(units: values[word] ?? []).oneLine
    // A value of a template is not one of the document.
    return text.hasPrefix("<") && text.hasSuffix(">") ? "" : text
  }

  private func list(_ word: RTFWord, separators: String) -> [String] {
    text(word).split { separators.contains($0) }.map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  private var title: String {
    var title = text(.title)
    let program = "Microsoft Word - "
    if title.hasPrefix(program) {
      title = String(title.dropFirst(program.count))
      for ending in [".docx", ".doc", ".rtf", ".odt"] where title.lowercased().hasSuffix(ending) {
        title.removeLast(ending.count)
        break
      }
    }
    return Self.isDefault(title) ? "" : title
  }

  /// Whether a text is no title or name, or one that a program writes into each new file:
  /// `Document1`, `Administrator`.
  private static func isDefault(_ text: String) -> Bool {
    var name = text.lowercased()[...]
    while let last = name.last, last.isNumber || last == " " { name.removeLast() }
    return text.count { $0.isLetter || $0.isNumber } < 2 || defaults.contains(String(name))
  }

  private static let defaults: Set<String> = [
    "document", "word document", "untitled", "untitled document", "no title", "title",
    "administrator", "admin", "author", "user", "windows user", "microsoft office user", "unknown",
    "owner", "python-docx", "docx4j", "apache poi",
  ]
}
