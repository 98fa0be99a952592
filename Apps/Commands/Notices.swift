import Configuration
import Model
import Rendering
import Workspace

extension Session {
  /// Says on the error stream what looks at files showed, where it was something.
  func notify(_ reports: [RefreshReport]) {
    for report in reports {
      guard let summary = report.summary else { continue }
      errors.line(summary.neutralized)
      for outcome in report.outcomes where outcome.after.state == .orphaned {
        errors.line("  orphaned \(outcome.highlight.dot.sequence): “\(outcome.quote.shortened)”")
      }
      for outcome in report.outcomes where outcome.after.state == .doubtful {
        errors.line("  doubtful \(outcome.highlight.dot.sequence): “\(outcome.quote.shortened)”")
      }
    }
    // What a list shows is easier to understand when one knows why: before it, not after.
    errors.flush()
  }

  /// Looks at files and says what became of highlights; all files need not be looked at when a daemon
  /// has done so after their last change.
  func refresh(_ library: Library, _ documents: [Document]?, _ options: GlobalOptions) async throws
  {
    if documents == nil, filesAreSettled(library, options) { return }
    notify(try await library.refresh(documents))
  }

  /// Whether a daemon says that the library holds all that happened to files until now.
  func filesAreSettled(_ library: Library, _ options: GlobalOptions) -> Bool {
    guard !options.noDaemon, let daemon = DaemonClient(library.location) else { return false }
    return daemon.isSettled
  }

  /// How pages are drawn here.
  func pageOptions(_ options: DrawOptions, _ settings: Settings) -> PageOptions {
    let choice: ColorMode.Choice =
      options.noColor ? .never : ColorMode.Choice(rawValue: options.choice.rawValue) ?? .auto
    let color = ColorMode.detect(
      environment: environment, isTerminal: output.isTerminal, choice: choice)
    return PageOptions(
      width: width(options.width, settings), color: color, theme: theme(options, settings),
      hyperlinks: output.isTerminal && color != .none)
  }

  /// The background that colours are for.
  func theme(_ options: DrawOptions, _ settings: Settings) -> Theme {
    guard let asked = options.theme else { return settings.theme(environment: environment) }
    return Theme(rawValue: asked.rawValue) ?? Theme.detect(environment: environment)
  }

  /// How a few lines of a text are drawn, for a command without options for it.
  func pageOptions(width asked: Int?, _ settings: Settings, around range: TextRange) -> PageOptions
  {
    var options = pageOptions(DrawOptions.none, settings)
    options.width = max(20, width(asked, settings))
    options.hyperlinks = false
    options.range = range
    return options
  }

  /// The document that a command's DOC means; in a REPL the current one when it is left out.
  func document(_ name: String?, in library: Library) async throws -> Document {
    guard let name else {
      guard let document else {
        throw LibraryError(
          .usage, "no document is named",
          hint: isInteractive ? "`show DOC` makes one the current document" : "name it: DOC")
      }
      return try await library.document(document.id.description)
    }
    let found = try await library.document(name)
    if isInteractive { document = found }
    return found
  }
}

extension DaemonClient {
  /// Whether all that happened to files until now is in the library; false where it does not say so
  /// soon.
  var isSettled: Bool { (try? ask(.settled, timeout: 200))?.meansSettled == true }
}

extension Session {
  /// The highlight with an id or the start of one, and its document, as the file is now.
  func highlight(_ id: String, in library: Library) async throws -> (Highlight, Document) {
    let found = try await library.highlight(id)
    let document = try await library.document(found.document.description)
    if document.state == .removed { return (found, document) }
    notify(try await library.refresh([document]))
    return (
      try await library.highlight(found.id.description),
      try await library.document(found.document.description)
    )
  }

  /// Says how a highlight is now.
  func say(_ highlight: Highlight, in document: Document, _ options: GlobalOptions) {
    output.line(
      options.json
        ? HighlightRecord.lines([highlight], in: document) : ListCommand.line(highlight, document))
  }
}

extension Highlight {
  /// The short name by which a person calls it.
  var shortID: String { String(id.dot.sequence) }
}

extension String {
  /// The text on one line, without what steers a terminal, and not longer than about a line.
  /// O(1): however long the text is, only its beginning is looked at.
  var shortened: String {
    if let line = shortenedASCII { return line }
    let beginning = prefix(4 * Self.shortLength)
    let line = beginning.split(whereSeparator: \.isWhitespace).joined(separator: " ").neutralized
    let isWhole = line.count <= Self.shortLength && beginning.endIndex == endIndex
    return isWhole ? line : line.prefix(Self.shortLength - 1) + "…"
  }
  /// The same for what begins with a line of ASCII, as nearly every quote does; nil for others.
  private var shortenedASCII: String? {
    var line: [UInt8] = []
    line.reserveCapacity(Self.shortLength + 2)
    return Self.appendShortened(utf8, to: &line) ? String(decoding: line, as: UTF8.self) : nil
  }
  /// Appends bytes of ASCII as `shortened` would have them. False, with nothing appended, when there
  /// are others where it matters.
  static func appendShortened(_ bytes: some Sequence<UInt8>, to line: inout [UInt8]) -> Bool {
    let start = line.count
    var isAfterBlank = false
    for byte in bytes {
      switch byte {
      case 0x09...0x0D, 0x20: isAfterBlank = line.count > start
      case 0x21...0x7E:
        if isAfterBlank { line.append(0x20) }
        isAfterBlank = false
        line.append(byte)
        if line.count - start > shortLength {
          line.removeLast(line.count - start - shortLength + 1)
          line.append(contentsOf: "…".utf8)
          return true
        }
      default:
        line.removeLast(line.count - start)
        return false
      }
    }
    return true
  }
  /// The most characters of a shortened text.
  private static var shortLength: Int { 72 }
}
