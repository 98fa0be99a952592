import Anchoring
import Files
import MarkdownParse
import Model
import Search
import Storage
import SystemSupport

/// Searches all documents of a library, in the current text of their files, for the passages that a
/// highlight may belong to. Each file is read and parsed at most once.
final class CandidateSearch {
  /// The maximum number of candidates returned for one highlight.
  private static let limit = 5
  /// The maximum number of candidates searched for in each document other than the highlight's own.
  private static let limitElsewhere = 3
  /// The minimum score, 0 … 1, of a candidate in the highlight's own document.
  private static let ownScore = 0.2

  /// The documents that are searched.
  let documents: [Document]
  private let store: Store
  private let location: LibraryLocation
  private let dialects: Dialects
  private let anchorer: Anchorer
  private var opened: [Document.ID: Opened?] = [:]
  private var lastTexts: [Document.ID: String?] = [:]

  private struct Opened {
    var parsed: ParsedDocument
    var text: AnchorText
    var lines: SourceLines
  }

  init(
    documents: [Document], store: Store, location: LibraryLocation, dialects: Dialects,
    anchorer: Anchorer
  ) {
    self.documents = documents
    self.store = store
    self.location = location
    self.dialects = dialects
    self.anchorer = anchorer
  }

  /// Returns the candidates for a highlight: first those in its own document that are at least
  /// doubtful, then all others. Both groups are sorted by score, highest first. If the highlight
  /// has a doubtful range, that range precedes all candidates.
  func candidates(_ highlight: Highlight) throws(UserError) -> [ReviewCandidate] {
    try candidates(highlight, in: documents)
  }

  /// Returns the first of the candidates for a highlight, or nil if there is none. Other documents
  /// are read only if its own has no candidate that is at least doubtful.
  func likeliest(_ highlight: Highlight) throws(UserError) -> ReviewCandidate? {
    let home = documents.filter { $0.id == highlight.document }
    if let own = try candidates(highlight, in: home).first,
      own.score >= Anchorer.doubtfulScore || own.range == highlight.anchor.range
    {
      return own
    }
    return try candidates(highlight).first
  }

  private func candidates(_ highlight: Highlight, in documents: [Document]) throws(UserError)
    -> [ReviewCandidate]
  {
    var found: [ReviewCandidate] = []
    let subject = AnchorSubject(selector: highlight.selector)
    for document in documents {
      let isOwn = document.id == highlight.document
      if !isOwn, try !mayHold(highlight.selector.exact, document) { continue }
      guard let file = open(document) else { continue }
      let least = isOwn ? Self.ownScore : Anchorer.doubtfulScore
      let limit = isOwn ? Self.limit : Self.limitElsewhere
      for candidate in anchorer.candidates(for: subject, from: nil, to: file.text, limit: limit)
      where candidate.score >= least {
        found.append(place(candidate.range, candidate.score, in: document, file))
      }
    }
    func rank(_ candidate: ReviewCandidate) -> Double {
      let isProbable =
        candidate.document.id == highlight.document && candidate.score >= Anchorer.doubtfulScore
      return candidate.score + (isProbable ? 1 : 0)
    }
    found.sort { (rank($0), $1.range.utf16.lowerBound) > (rank($1), $0.range.utf16.lowerBound) }
    if let range = highlight.anchor.range,
      let home = documents.first(where: { $0.id == highlight.document }), let file = open(home),
      range.utf16.upperBound <= file.parsed.text.count
    {
      found.removeAll { $0.document.id == home.id && $0.range.overlaps(range) }
      found.insert(place(range, highlight.anchor.score, in: home, file), at: 0)
    }
    return Array(found.prefix(Self.limit))
  }

  private func place(_ range: TextRange, _ score: Double, in document: Document, _ file: Opened)
    -> ReviewCandidate
  {
    let byte = file.parsed.map.sourceOffset(of: range.lowerBound, bias: .trailing)
    return ReviewCandidate(
      document: document, range: range, line: file.lines.position(of: byte),
      words: file.parsed.text.substring(range), score: score)
  }

  /// Returns a document's file, parsed; nil if it cannot be read.
  private func open(_ document: Document) -> Opened? {
    if let known = opened[document.id] { return known }
    var result: Opened?
    if let file = try? location.file(of: document.path),
      let source = try? SourceFile(reading: file)
    {
      let parsed = dialects.parse(source)
      result = Opened(
        parsed: parsed, text: AnchorText(utf16: parsed.text.utf16), lines: parsed.sourceLines)
    }
    opened[document.id] = .some(result)
    return result
  }

  /// Returns whether a document may contain a quote: its last known text has two of the quote's
  /// three longest words, or no text of it is stored. Most documents are excluded without parsing
  /// them.
  private func mayHold(_ quote: String, _ document: Document) throws(UserError) -> Bool {
    guard let text = try lastText(document) else { return true }
    let quote = Canonical.normalized(quote)
    let words = Set(quote.split { !$0.isLetter && !$0.isNumber }).sorted {
      ($0.utf8.count, $0) > ($1.utf8.count, $1)
    }
    let distinctive = words.prefix(3)
    guard !distinctive.isEmpty else { return text.contains(quote) }
    return distinctive.count { Self.contains(text, $0) } >= min(2, distinctive.count)
  }

  private static func contains(_ text: String, _ word: Substring) -> Bool {
    guard !word.isEmpty else { return true }
    var text = text
    return text.withUTF8 { ByteFinder(word.utf8).first(in: $0, from: 0, before: $0.count) != nil }
  }

  private func lastText(_ document: Document) throws(UserError) -> String? {
    if let known = lastTexts[document.id] { return known }
    let text = try Library.storage {
      try store.read { transaction in
        try transaction.revision(of: document.id).flatMap {
          try transaction.snapshot($0.textDigest, of: document.id)
        }
      }.map(Canonical.normalized)
    }
    lastTexts[document.id] = .some(text)
    return text
  }
}
