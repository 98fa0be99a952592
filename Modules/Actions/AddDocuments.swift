import FoundationEssentials
import Interchange
import LibraryExchange
import Model
import RichMarkdown
import Scrivener
package import SystemSupport
package import Workspace

/// Adds files, folders, web pages, books, texts of word processors, projects and pasted text to the
/// library.
package struct AddDocuments: Action {
  package static let name = "document.add"
  package static let summary =
    "Adds files, folders, web pages, books, word-processor documents or a text to the library."
  package static let effect = ActionEffect.administers
  package static let opening = Library.Opening.create
  package static let parameters = [
    ActionParameter("paths", .list(.text), "Files, folders and addresses.", isRequired: true),
    ActionParameter(
      "text", .text,
      "Markdown, plain text or a web page's source, which becomes a new Markdown file."),
    ActionParameter(
      "title", .text, "The title of the text; its own, or its first words, when omitted."),
    ActionParameter(
      "output", .text, "The new file of a page or text, or the new folder of a book or project."),
    ActionParameter("whole", .flag, "Keeps the whole page, not only its article."),
    ActionParameter("tags", .flag, "Writes underlines as HTML tags."),
    ActionParameter(
      "failOnLoss", .flag, "Writes nothing if a word-processor document would lose something."),
    ActionParameter(
      "again", .flag, "Adds a second copy of a page, book or project that is in the library."),
    ActionParameter("timeout", .integer, "The seconds to fetch a page; 30 when omitted."),
    ActionParameter("allowPrivate", .flag, "Also fetches from this machine and its local network."),
    ActionParameter("dryRun", .flag, "Lists the files that would be added, and adds nothing."),
  ]
  package static let examples = [
    AddDocuments(
      paths: ["essay.md", "https://example.org/essay"], text: "Some words.", title: "Words",
      output: "essay.md", whole: true, tags: true,
      failOnLoss: true, again: true, timeout: 10, allowPrivate: true, dryRun: true)
  ]

  package var paths: [String]
  package var text: String?
  package var title: String?
  package var output: String?
  package var whole: Bool?
  package var tags: Bool?
  package var failOnLoss: Bool?
  package var again: Bool?
  package var timeout: Int?
  package var allowPrivate: Bool?
  package var dryRun: Bool?

  package init(
    paths: [String], text: String? = nil, title: String? = nil, output: String? = nil,
    whole: Bool? = nil, tags: Bool? = nil,
    failOnLoss: Bool? = nil, again: Bool? = nil, timeout: Int? = nil, allowPrivate: Bool? = nil,
    dryRun: Bool? = nil
  ) {
    (self.paths, self.output, self.whole, self.tags) = (paths, output, whole, tags)
    (self.text, self.title) = (text, title)
    (self.failOnLoss, self.again, self.timeout) = (failOnLoss, again, timeout)
    (self.allowPrivate, self.dryRun) = (allowPrivate, dryRun)
  }

  /// The maximum length of `text` in UTF-8 bytes.
  package static let textLimit = PastedText.sizeLimit

  /// An event while documents are added.
  package enum Event: Sendable {
    /// A document was added, or the library already contained it.
    case added(AddResult)
    /// A page, book or project was not added, because the library already contains it. With
    /// `again`, its current version would be added.
    case kept(AddResult, kind: String)
    /// A file has highlights that another program made, in the named format.
    case importable(path: String, format: String)
    /// The numbers of formats and comments of a text that the library stores, and messages about
    /// losses.
    case converted(formats: Int, highlights: Int, notes: Int, losses: [String])
    /// All documents of the earlier events are stored.
    case stored
    /// A number of highlights moved from the files of quotes to added documents, for review.
    case quotesMoved(Int)
  }

  package struct Outcome: ActionOutcome {
    package var additions: [AddResult] = []
    /// The files that a dry run would add, with the titles of new files.
    package var planned: [(path: String, title: String?)] = []
    package var notices: [String] = []
    /// The errors of documents that could not be added.
    package var problems: [UserError] = []
    fileprivate var location: LibraryLocation

    /// The record `diple.additions/1`.
    private struct Record: Encodable {
      var additions: [AdditionRecord]
      var planned: [String]
      var notices: [String]
      var problems: [String]
    }

    package var json: String {
      JSON.line(
        "diple.additions/1",
        Record(
          additions: additions.map { AdditionRecord($0, in: location) },
          planned: planned.map(\.path), notices: notices, problems: problems.map(\.message)))
    }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let order = try await read()
    if dryRun == true {
      var outcome = Outcome(location: session.library.location)
      (outcome.planned, outcome.problems) = try order.files(at: session.library.location)
      outcome.notices = order.warnings
      return outcome
    }
    var outcome = try await order.add(in: session.library) { _ in }
    outcome.notices = order.warnings + outcome.notices
    return outcome
  }

  /// The sources of a request, which were read or fetched but not added yet.
  package struct Order: Sendable {
    fileprivate var request: AddDocuments
    fileprivate var files: [String] = []
    fileprivate var pages: [FetchedPages] = []
    fileprivate var texts: [RichFile] = []
    fileprivate var pasted: PastedText?
    fileprivate var projects: [ScrivenerProject] = []

    /// The warnings about pages.
    package var warnings: [String] { pages.flatMap(\.warnings) }
  }

  /// Reads and fetches the sources of the request. This needs no library.
  ///
  /// - Throws: `usage` if an address is neither `http` nor `https`, `timeout` is not from 1 to
  ///   3,600, or `output` is set and there is not exactly one page, book, text or project; the
  ///   errors of reading and fetching.
  package func read() async throws -> Order {
    guard 1...3600 ~= timeout ?? 30 else {
      throw UserError(.usage, "'timeout' must be from 1 to 3600 seconds").about("timeout")
    }
    var order = Order(request: self)
    var fetching: [FetchOrder] = []
    for path in paths {
      let file = FileSystem.absolute(path)
      if let place = try Self.place(path) {
        fetching.append(
          FetchOrder(
            place, isWhole: whole ?? false, allowsPrivate: allowPrivate ?? false,
            seconds: timeout ?? 30))
      } else if ScrivenerProject.isProject(path) {
        order.projects.append(try ScrivenerProject.read(file))
      } else if RichFile.isOne(file) {
        order.texts.append(try await RichFile(reading: file))
      } else {
        order.files.append(path)
      }
    }
    let page = text.flatMap { FetchedPages.isPage($0) ? $0 : nil }
    if let text, page == nil { order.pasted = try PastedText(text, title: title) }
    guard title == nil || order.pasted != nil else {
      throw UserError(
        .usage,
        text == nil
          ? "a title is for a text; files have their own"
          : "the text is a web page, which has its own title"
      ).about("title")
    }
    let made =
      fetching.count + order.texts.count + order.projects.count + (text == nil ? 0 : 1)
    guard output == nil || made == 1 && order.files.isEmpty else {
      throw UserError(.usage, "-o is for one page, one book, one text or one project")
    }
    for one in fetching { order.pages.append(try await FetchedPages(one)) }
    if let page {
      order.pages.append(
        try await FetchedPages(text: page, isWhole: whole ?? false, seconds: timeout ?? 30))
    }
    return order
  }

  private static let endings: Set<String> = ["html", "htm", "xhtml", "epub"]

  /// Returns the web address, or the path of the file, from which a page or book is read; nil for
  /// other files and for folders.
  ///
  /// - Throws: `usage` if an address is neither `http` nor `https`; the error of reading a file's
  ///   status.
  private static func place(_ word: String) throws(UserError) -> FetchOrder.Place? {
    if let end = word.firstRange(of: "://") {
      let scheme = word[..<end.lowerBound].lowercased()
      if ["http", "https"].contains(scheme) { return .web(word) }
      if !scheme.isEmpty, scheme.allSatisfy({ $0.isLetter || $0.isNumber }) {
        throw UserError(.usage, "\(word) is not an http or https address")
      }
    }
    let absolute = FileSystem.absolute(word)
    guard let ending = word.lastComponent.split(separator: ".").dropFirst().last,
      endings.contains(ending.lowercased()), let status = try FileSystem.status(of: absolute),
      !status.isFolder
    else { return nil }
    return .file(absolute)
  }
}

extension AddDocuments.Order {
  /// The maximum number of named files that are checked for highlights of other programs.
  private static let checkedFiles = 20

  /// Returns the files that would be added, with the titles of new files, and the errors of files
  /// that can't be added.
  ///
  /// - Throws: the errors of choosing a new file or folder, and of reading folders.
  package func files(at location: LibraryLocation) throws(UserError) -> (
    planned: [(path: String, title: String?)], problems: [UserError]
  ) {
    var planned: [(path: String, title: String?)] = []
    for project in projects {
      let path = try location.place(for: RichCollection(project), at: request.output)
      planned.append((path, project.title))
    }
    for text in texts {
      planned.append((try location.place(for: text, at: request.output), text.title))
    }
    if let pasted {
      planned.append((try location.place(for: pasted, at: request.output), pasted.title))
    }
    for page in pages {
      let place = try location.place(for: page, at: request.output)
      planned += page.files(at: place).map { ($0.path, $0.title) }
    }
    if files.isEmpty { return (planned, []) }
    let found = try Library.filesToAdd(files)
    planned += found.files.map { ($0, nil) }
    return (planned, found.problems)
  }

  /// Adds the documents one by one. If one fails with an error, the documents before it stay added.
  ///
  /// - Parameter report: Called with each event, immediately.
  /// - Throws: the errors of `Library.add`. Files that cannot be added are problems of the outcome.
  package func add(
    in library: Library, _ report: @Sendable (AddDocuments.Event) -> Void
  ) async throws -> AddDocuments.Outcome {
    let location = library.location
    var outcome = AddDocuments.Outcome(location: location)
    func take(_ added: AddReport) {
      for addition in added.additions { report(.added(addition)) }
      outcome.additions += added.additions
      outcome.problems += added.problems
    }
    func keep(_ known: Document, _ kind: String) async throws {
      let counts = try await library.highlightCounts(of: known.id)[known.id] ?? [:]
      let result = AddResult(known: known, counts)
      report(.kept(result, kind: kind))
      outcome.additions.append(result)
      outcome.notices.append("\(known.shownPath) is not changed")
    }
    func convert(_ formats: Int, _ highlights: Int, _ notes: Int, _ losses: [String]) {
      report(.converted(formats: formats, highlights: highlights, notes: notes, losses: losses))
      outcome.notices += losses
    }
    for page in pages {
      if request.again != true, let known = try await library.document(of: page) {
        try await keep(known, "page")
        continue
      }
      take(try await library.add(page, at: try location.place(for: page, at: request.output)))
      let counts = page.highlightCounts
      if counts.all > 0 { convert(0, counts.all, counts.withNotes, []) }
    }
    for text in texts {
      var options = RichOptions()
      (options.usesTags, options.failsOnLoss) = (request.tags ?? false, request.failOnLoss ?? false)
      let added = try await library.add(
        text, at: try await library.place(for: text, at: request.output), options)
      report(.added(added.addition))
      outcome.additions.append(added.addition)
      convert(added.formats, added.highlights, added.notes, added.losses)
    }
    if let pasted {
      take(try await library.add(pasted, at: try location.place(for: pasted, at: request.output)))
    }
    for project in projects {
      let collection = RichCollection(project)
      if request.again != true, request.output == nil,
        let known = try await library.contents(of: collection)
      {
        try await keep(known, "project")
        continue
      }
      let place = try location.place(for: collection, at: request.output)
      let (added, formats, losses) = try await library.add(collection, at: place)
      take(added)
      let highlights = collection.items.flatMap(\.highlights)
      convert(
        formats, highlights.count, highlights.count { !$0.note.isEmpty }, project.losses + losses)
    }
    for file in files.prefix(Self.checkedFiles) {
      guard let format = library.importFormat(ofFile: FileSystem.absolute(file)) else { continue }
      report(.importable(path: file, format: format))
      outcome.notices.append("\(file) has highlights in the format \(format)")
    }
    if !files.isEmpty {
      let added = try await library.add(files) { batch in
        for addition in batch.additions { report(.added(addition)) }
        report(.stored)
      }
      outcome.additions += added.additions
      outcome.problems += added.problems
    }
    let new = outcome.additions.filter { $0.kind != .known }.map(\.document)
    let moved = try await library.placeQuotes(in: new).count
    if moved > 0 {
      report(.quotesMoved(moved))
      outcome.notices.append("\(moved.counted("quote")) moved to the added documents, for review")
    }
    return outcome
  }
}

/// A document that was added, a record of the schema `diple.addition/1`.
package struct AdditionRecord: Encodable {
  var document: DocumentRecord
  var change: String
  var invalidSequences: Int

  package init(_ addition: AddResult, in location: LibraryLocation) {
    document = DocumentRecord(addition.document, counts: addition.counts, in: location)
    change = addition.kind.rawValue
    invalidSequences = addition.invalidSequences
  }
}

extension RichCollection {
  /// Creates a collection from a Scrivener project. Its folders become headings of the table of
  /// contents.
  fileprivate init(_ project: ScrivenerProject) {
    self.init(
      title: project.title,
      items: project.items.map { item in
        let hasText = item.conversion != nil || item.synopsis != nil
        return Item(
          file: item.file, title: item.title, level: item.level,
          source: hasText ? item.source : nil, conversion: item.conversion, images: item.images,
          highlights: item.comments.map { comment in
            MarkdownConversion.Highlight(
              range: comment.range,
              color: comment.color.map { HighlightColor(nearest: $0) } ?? .yellow,
              note: comment.text)
          }, note: item.notes)
      })
  }
}
