import FoundationEssentials
import Interchange
import MarkdownParse
import Model
import RichMarkdown
import RichText
import Storage
import SystemSupport
import Workspace

extension AnnotationRecord {
  /// Creates a record without a quote for the document of a note.
  init(_ note: SeparateNote) {
    self.init(id: "", quote: "", source: note.source, title: note.title, color: .yellow)
    author = note.author
  }
}

extension SeparateNote {
  /// The note as a paragraph of Markdown, with its location. Each line is rendered literally.
  fileprivate var markdown: String {
    let lines = text.split(whereSeparator: \.isNewline).map { QuoteBook.escaped($0.trimmed) }
    let words = lines.filter { !$0.isEmpty }.joined(separator: "\n")
    let place = QuoteBook.escaped(location.oneLine)
    return place.isEmpty ? words : "\(words) (\(place))"
  }
}

extension WriteTransaction {
  /// Adds notes to the note on a document. A note that the document's note contains, or contained
  /// in an earlier version, is not added again.
  ///
  /// - Returns: the number of added notes.
  /// - Throws: `usage` if the note would be longer than 1 MiB as JSON; ``StoreError`` if the
  ///   database can't be read or written.
  func add(_ notes: [SeparateNote], to document: Document) throws -> Int {
    guard !notes.isEmpty else { return 0 }
    func rendered(_ markdown: String) -> AttributedText {
      AttributedText(markdown: ParsedDocument(parsing: MarkdownSource(markdown)))
    }
    let versions = try operations(on: .document(document.id)).filter {
      $0.field == .property(.note)
    }.compactMap { operation -> String? in
      guard case .text(let json) = operation.value, !json.isEmpty else { return nil }
      return (try? AttributedText(json: Array(json.utf8)))?.string
    }
    let present = try note(of: document.id)
    let texts = versions + [present?.string].compactMap(\.self)
    var seen: Set<String> = []
    let new = notes.map(\.markdown).filter { markdown in
      let words = rendered(markdown).string.trimmed
      return !words.isEmpty && seen.insert(words).inserted
        && !texts.contains { $0.contains(words) }
    }
    guard !new.isEmpty else { return 0 }
    let whole = [present?.markdown.trimmed].compactMap(\.self) + new
    let json = try rendered(whole.joined(separator: "\n\n")).json()
    guard json.count <= Self.noteLimit else {
      throw UserError(
        .usage,
        "with \(new.count.counted("more note")), the note on \(document.shownPath) would be longer "
          + "than \(Self.noteLimit >> 20) MiB")
    }
    _ = try setProperty(
      .note, String(decoding: json, as: UTF8.self), of: .document(document.id))
    return new.count
  }

  /// The maximum size in bytes of a note as JSON.
  private static let noteLimit = 1 << 20
}
