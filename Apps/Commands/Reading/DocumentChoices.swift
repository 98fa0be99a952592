package import Console
import DaemonKit
import Files
package import FoundationEssentials
import Glibc
import MarkdownParse
package import Model
package import Reader
import SystemSupport
import Workspace

/// A document that the user chose from a list.
package struct DocumentChoice: Sendable {
  /// The name by which the document or file is opened.
  package var name: String
  /// The id; nil for a file in no library.
  package var document: Document.ID?
  /// The absolute path of the file.
  package var path: String
  package var title: String
  /// The heading that matched; nil if the title or the path matched better.
  package var heading: Heading?

  package struct Heading: Sendable {
    package var text: String
    /// The offset in the rendered text when the list was made.
    package var offset: TextOffset
  }
}

/// The documents from which the user chooses one to read: those read last first, then the other
/// documents of the library in the order of their paths.
///
/// The headings are read from the files, a few at a time, while the user is typing.
package final class DocumentChoices {
  /// The documents as the list shows them, in the same order as the choices.
  package let entries: [Picker.Entry]
  private var choices: [DocumentChoice]
  private var headings: [[DocumentChoice.Heading]]
  private let dialects: Dialects
  /// The index of the first document whose headings were not read yet.
  private var next = 0

  /// The maximum size in bytes of a file whose headings are read.
  private static let mostBytes = 4 << 20

  /// Finds the documents of the library that the options select, and the files that were read last.
  /// Reads no documents.
  ///
  /// - Throws: ``UserError`` with the code `nothing` if there is none; the errors of opening the
  ///   library.
  package init(_ context: CommandContext, _ options: GlobalOptions, now: Date = .now) async throws {
    var documents: [Document] = []
    var folder: String?
    var absolute: [Document.ID: String] = [:]
    if context.libraries.hasPlace(options) {
      let library = try context.libraries.library(options, .readOnlyOrEmpty)
      documents = try await library.documents().filter { $0.state == .present }
      folder = library.location.folder
      for document in documents { absolute[document.id] = library.location.absolute(document.path) }
    }
    let environment = context.terminal.environment
    let read = ReadingPlaces(environment: environment)?.latest ?? []
    let paths = context.paths
    var byID = Dictionary(uniqueKeysWithValues: documents.map { ($0.id, $0) })
    let idByPath = Dictionary(
      absolute.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var (choices, entries) = ([DocumentChoice](), [Picker.Entry]())
    for (place, time) in read {
      let ago = Self.ago(now.timeIntervalSince(time), since: time)
      let id = place.document.flatMap { Document.ID($0) } ?? idByPath[place.path]
      if let id, let document = byID.removeValue(forKey: id), let path = absolute[id] {
        choices.append(Self.choice(document, path))
        entries.append(
          Picker.Entry(
            title: document.title, path: paths.name(document.path),
            percent: place.percent, time: ago))
      } else if place.document == nil, id == nil, Library.isFile(place.path) {
        choices.append(
          DocumentChoice(name: place.path, document: nil, path: place.path, title: place.title))
        entries.append(
          Picker.Entry(
            title: place.title, path: paths.name(ofFile: place.path), percent: place.percent,
            time: ago))
      }
    }
    for document in documents where byID[document.id] != nil {
      choices.append(Self.choice(document, absolute[document.id] ?? document.path.string))
      entries.append(
        Picker.Entry(title: document.title, path: paths.name(document.path)))
    }
    guard !choices.isEmpty else {
      throw UserError(
        .nothing, "there are no documents to choose from",
        hint: folder.map { "\(command: "add", "FILE") adds one to the library in \($0)" }
          ?? "\(command: "add", "FILE") adds one")
    }
    (self.choices, self.entries) = (choices, entries)
    headings = Array(repeating: [], count: choices.count)
    dialects = context.libraries.dialects(options)
  }

  private static func choice(_ document: Document, _ path: String) -> DocumentChoice {
    DocumentChoice(
      name: document.id.description, document: document.id, path: path, title: document.title)
  }

  /// Returns the time since something in words, in the largest unit that it fills; the date if it is
  /// more than two weeks.
  static func ago(_ seconds: Double, since time: Date) -> String {
    switch seconds {
    case ..<60: "just now"
    case ..<3_600: "\(Int(seconds / 60)) min ago"
    case ..<86_400: "\(Int(seconds / 3_600)) h ago"
    case ..<172_800: "1 day ago"
    case ..<1_209_600: "\(Int(seconds / 86_400)) days ago"
    default: String(time.localTimestamp.prefix(10))
    }
  }

  /// Whether the headings of all documents were read.
  package var isComplete: Bool { next == choices.count }

  /// Reads the headings of further documents. A file that is large or can't be read has none.
  ///
  /// - Parameter time: the time after which no further file is begun; nil to read all.
  /// - Returns: the documents by index, with the texts of their headings.
  package func readHeadings(for time: Duration? = nil) -> [(entry: Int, headings: [String])] {
    var found: [(entry: Int, headings: [String])] = []
    let start = ContinuousClock.now
    while !isComplete, time.map({ ContinuousClock.now - start < $0 }) ?? true {
      headings[next] = Self.headings(of: choices[next].path, dialects)
      if !headings[next].isEmpty { found.append((next, headings[next].map(\.text))) }
      next += 1
    }
    return found
  }

  private static func headings(of path: String, _ dialects: Dialects) -> [DocumentChoice.Heading] {
    guard let status = try? FileSystem.status(of: path), status.st_size <= mostBytes,
      let file = try? SourceFile(reading: path)
    else { return [] }
    let parsed = dialects.parse(file)
    var headings: [DocumentChoice.Heading] = []
    for block in parsed.blocks {
      guard case .heading = block.kind, !block.text.isEmpty else { continue }
      headings.append(
        DocumentChoice.Heading(
          text: parsed.text.substring(block.text).split(whereSeparator: \.isWhitespace)
            .joined(separator: " "),
          offset: block.text.lowerBound))
      if headings.count == Picker.mostHeadings { break }
    }
    return headings
  }

  /// Returns a choice with the heading that matched.
  package func choice(_ entry: Int, heading: Int?) -> DocumentChoice {
    var choice = choices[entry]
    choice.heading = heading.map { headings[entry][$0] }
    return choice
  }
}

extension ReaderController {
  /// Returns the documents from which the user can choose one to read.
  package func documentChoices() async throws -> DocumentChoices {
    try await DocumentChoices(context, globals)
  }

  /// Opens a document that the user chose: at the heading that matched, or else at the place where
  /// the user stopped reading it. Going back returns to the current text.
  package func read(_ choice: DocumentChoice) async {
    await read(choice.name, startsAtTop: choice.heading != nil)
    begin(at: choice.heading)
  }

  /// Goes to a heading of the open text that a list showed.
  package func begin(at heading: DocumentChoice.Heading?) {
    guard let heading else { return }
    let found = open.parsed.blocks.filter { block in
      guard case .heading = block.kind else { return false }
      return open.parsed.text.substring(block.text).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ") == heading.text
    }.min {
      abs($0.text.lowerBound.utf16 - heading.offset.utf16)
        < abs($1.text.lowerBound.utf16 - heading.offset.utf16)
    }
    if let found { reader.go(to: found.text.lowerBound) }
    reader.arrive()
    arrival = reader.view
  }

  /// Shows the reason why there is no list of documents.
  package func report(_ error: any Error) { reader.message = reason(error) }
}
