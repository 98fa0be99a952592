import Anchoring
import Files
package import FoundationEssentials
import MarkdownParse
package import Model
import Storage
package import SystemSupport

/// One thing that happened to a highlight.
package struct LogEntry: Hashable, Sendable {
  /// When; for a text, when it was last seen in the file.
  package var date: Date
  /// What.
  package var event: Event

  /// What can happen to a highlight.
  package enum Event: Hashable, Sendable {
    /// A person changed a field.
    case operation(Operation)
    /// It was looked for in a text that is kept: where it stood and the words there.
    case seen(Anchor, words: String?)
    /// A commit changed its words: those before and after; nil where it stood nowhere.
    case commit(hash: String, author: String, subject: String, before: String?, after: String?)
  }
}

extension Library {
  /// How many commits are read.
  private static let commitLimit = 200

  /// What happened to a highlight, oldest first: what people changed, where it stood in each text
  /// that is kept and, in a git work tree, which commits changed its words.
  ///
  /// - Returns: what happened, and why the commits of a work tree are not in it; nil where they are.
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
                throw UserError(
                  .damaged, "a place of highlight \(highlight.id), \(range), is beyond its text")
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

  /// Whether a folder or one above it is a git work tree, without asking git.
  private static func isInWorkTree(_ folder: String) -> Bool {
    var folder = folder
    while true {
      if (try? FileSystem.status(of: folder.appending(".git"))) ?? nil != nil { return true }
      guard folder != "/" else { return false }
      folder = folder.parentFolder
    }
  }

  /// The commits that changed a highlight's words, found by following its place from the file as it
  /// is now back through the file's commits.
  private func commits(changing highlight: Highlight) async throws(UserError)
    -> ([LogEntry], problem: UserError?)
  {
    let document = try document(id: highlight.document)
    let path = try location.file(of: document.path)
    guard document.state == .present else { return ([], nil) }
    let repository: GitRepository?
    do throws(UserError) { repository = try await GitRepository(holding: path.parentFolder) } catch
    {
      // Without git there are no commits to be missed.
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
    // The oldest commit brought in what it has, unless older ones were not read.
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
