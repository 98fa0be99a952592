import Anchoring
import Files
package import FoundationEssentials
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// One event in the life of a highlight.
package struct LogEntry: Hashable, Sendable {
  /// The time of the event. For `seen`, the last time at which the file had that text.
  package var date: Date
  package var event: Event

  package enum Event: Hashable, Sendable {
    /// The user changed a field.
    case operation(Operation)
    /// The highlight's anchor in a stored text, and the text at that anchor; `words` is nil for an
    /// orphan, or if the text is no longer stored.
    case seen(Anchor, words: String?)
    /// A commit changed the highlighted text. `before` and `after` are its text in the two
    /// versions; nil in a version in which it was not found.
    case commit(hash: String, author: String, subject: String, before: String?, after: String?)
  }
}

extension Library {
  /// The maximum number of commits that are read.
  private static let commitLimit = 200

  /// Returns the events of a highlight, oldest first: the user's changes, its anchor in each stored
  /// text and, in a git work tree, the commits that changed its text.
  ///
  /// - Returns: the events, and the reason why the commits of a work tree are missing; nil if they
  ///   are not missing.
  /// - Throws: `damaged` if a stored range lies beyond its text.
  package func log(of highlight: Highlight) async throws(UserError)
    -> (entries: [LogEntry], problem: UserError?)
  {
    var entries = try history(of: highlight).map {
      LogEntry(
        date: Date(timeIntervalSince1970: Double($0.time.milliseconds) / 1000),
        event: .operation($0))
    }
    entries += try storage {
      try store.read { transaction in
        try transaction.sightings(of: highlight.id).map { sighting in
          let text = try transaction.snapshot(sighting.text, of: highlight.document)
          let words = try sighting.anchor.range.flatMap { range in
            try text.map { text in
              guard range.lies(in: text.utf16.count) else {
                throw UserError.beyondText(range, of: highlight)
              }
              return AnchorText(text).substring(range)
            }
          }
          return LogEntry(date: sighting.seen, event: .seen(sighting.anchor, words: words))
        }
      }
    }
    let (commits, problem) = try await commits(changing: highlight)
    return ((entries + commits).sorted { $0.date < $1.date }, problem)
  }

  /// Returns whether a folder or one above it contains `.git`. git is not run.
  private static func isInWorkTree(_ folder: String) -> Bool {
    var folder = folder
    while true {
      if (try? FileSystem.status(of: folder.appending(".git"))) ?? nil != nil { return true }
      guard folder != "/" else { return false }
      folder = folder.parentFolder
    }
  }

  /// Returns the commits that changed a highlight's text, newest last. The highlight is located in
  /// the file's commits one by one, from the newest back.
  private func commits(changing highlight: Highlight) async throws(UserError)
    -> ([LogEntry], problem: UserError?)
  {
    let document = try document(id: highlight.document)
    let path = try location.file(of: document.path)
    guard document.state == .present else { return ([], nil) }
    let repository: GitRepository?
    do throws(UserError) {
      repository = try await GitRepository(containing: path.parentFolder)
    } catch {
      // Missing commits are reported only if git is too old and the folder is in a work tree. If
      // git is not installed, there is nothing to report.
      let isMissed = error == GitRepository.tooOld && Self.isInWorkTree(path.parentFolder)
      return ([], isMissed ? error : nil)
    }
    guard let git = repository, path.hasPrefix(git.root + "/") else { return ([], nil) }
    let commits = try await git.commits(
      of: String(path.dropFirst(git.root.count + 1)), limit: Self.commitLimit)

    let dialect = dialects.choice(for: path).dialect
    var entries: [LogEntry] = []
    var newer: (text: AnchorText, range: TextRange?)?
    var place: (commit: GitRepository.Commit, words: String?)?
    let anchorer = anchorer
    for commit in commits {
      guard let bytes = await git.content(of: commit.path, in: commit.hash) else { continue }
      let parsed = ParsedDocument(parsing: MarkdownSource(bytes), in: dialect)
      let text = AnchorText(utf16: parsed.text.utf16)
      let subject = AnchorSubject(selector: highlight.selector, last: newer?.range)
      let anchor = anchorer.reanchor(
        [subject], from: newer?.range == nil ? nil : newer?.text, to: text)[0]
      let range = anchor.state == .doubtful ? nil : anchor.range
      let words = range.map(text.substring)
      if let place, !Self.areSame(place.words, words) {
        entries.append(Self.entry(place.commit, before: words, after: place.words))
      }
      place = (commit, words)
      newer = (text, range)
    }
    // The file's first commit introduced the text, if all commits were read.
    if let place, place.words != nil, commits.count < Self.commitLimit {
      entries.append(Self.entry(place.commit, before: nil, after: place.words))
    }
    return (entries.reversed(), nil)
  }

  private static func entry(_ commit: GitRepository.Commit, before: String?, after: String?)
    -> LogEntry
  {
    LogEntry(
      date: Date(timeIntervalSince1970: Double(commit.time)),
      event: .commit(
        hash: commit.hash, author: commit.author, subject: commit.subject, before: before,
        after: after))
  }

  private static func areSame(_ a: String?, _ b: String?) -> Bool {
    a?.split(whereSeparator: \.isWhitespace) == b?.split(whereSeparator: \.isWhitespace)
  }
}
