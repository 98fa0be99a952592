import Anchoring
package import MarkdownParse
package import Model

/// The place where the user stopped reading a text, with enough of the text around it to find it
/// again after the file was edited.
package struct ReadingPlace: Codable, Hashable, Sendable {
  /// An offset in the text, and the words around it.
  package struct Mark: Codable, Hashable, Sendable {
    /// The words of the line before and after the offset.
    var quote: String
    /// The text before the words.
    var before: String
    /// The text after the words.
    var after: String
    /// The offset of the words in the text, in UTF-16 units.
    var start: Int
    /// The distance of the offset from the start of the words, in UTF-16 units.
    var delta: Int
  }

  /// The version of the format.
  var version = 1
  /// The absolute path of the file.
  package var path: String
  /// The id of the document; nil for a file in no library.
  package var document: String?
  /// The folder of the document's library; nil for a file in no library.
  package var library: String?
  /// The title, for lists.
  package var title: String
  /// The percentage of the text that was read.
  package var percent: Int
  /// The digest of the rendered text.
  var text: ContentDigest
  /// The length of the rendered text in UTF-16 units.
  var length: Int
  var caret: Mark
  /// The row of the screen with the caret; nil if the caret was not on the screen.
  package var caretRow: Int?
  /// The first offset on the screen.
  var top: Mark
  /// The heading that is chosen in the outline; nil if the outline was closed.
  var outline: Mark?
  /// The search; empty if there was none.
  package var query: String

  /// The maximum length of a title and of a search in characters. A longer search is not stored.
  private static let longestLine = 500
  /// The maximum length of a mark's words before and after the offset, in UTF-16 units.
  private static let (mostBefore, mostAfter) = (80, 160)
  /// The maximum value of the stored numbers.
  private static let mostUnits = 1 << 30

  /// The offsets of a place in one text.
  package struct Offsets: Hashable, Sendable {
    package var caret: TextOffset
    package var top: TextOffset
    /// The heading that is chosen in the outline; nil if the outline is closed.
    package var outline: TextOffset?

    package init(caret: TextOffset, top: TextOffset, outline: TextOffset?) {
      (self.caret, self.top, self.outline) = (caret, top, outline)
    }
  }

  /// Creates the record of a place. O(1).
  ///
  /// - Parameters:
  ///   - offsets: the offsets in the text; clamped to it.
  ///   - units: the rendered text.
  ///   - digest: the digest of the rendered text.
  package init(
    _ offsets: Offsets, caretRow: Int?, query: String, percent: Int, in units: [UInt16],
    digest: ContentDigest, of document: Document.ID?, library: String?, path: String, title: String
  ) {
    let anchorText = AnchorText(utf16: units)
    func mark(_ offset: TextOffset) -> Mark { Self.mark(offset.utf16, in: anchorText) }
    (self.path, self.document) = (path, document?.description)
    self.library = document == nil ? nil : library
    self.title = String(title.prefix(Self.longestLine))
    self.percent = max(0, min(100, percent))
    (self.text, length) = (digest, units.count)
    (caret, self.caretRow, top) = (mark(offsets.caret), caretRow, mark(offsets.top))
    outline = offsets.outline.map(mark)
    self.query = query.count > Self.longestLine ? "" : query
  }

  private static func mark(_ offset: Int, in text: AnchorText) -> Mark {
    let units = text.units
    let offset = max(0, min(offset, units.count))
    var (start, end) = (offset, offset)
    while end < units.count, end < offset + mostAfter, units[end] != 10 { end += 1 }
    while start > 0, start > offset - mostBefore, units[start - 1] != 10 { start -= 1 }
    // An empty line has no words.
    if start == end { start = max(0, start - mostBefore) }
    start = Graphemes.border(at: start, orBefore: units)
    end = Graphemes.border(at: end, orAfter: units)
    guard start < end else {
      return Mark(quote: "", before: "", after: "", start: start, delta: offset - start)
    }
    let selector = Selector(
      selecting: TextRange(utf16: start..<end), in: text, digest: nil,
      renderVersion: ParsedDocument.renderVersion)
    return Mark(
      quote: selector.exact, before: selector.prefix, after: selector.suffix, start: start,
      delta: offset - start)
  }

  /// Whether the values are in the ranges that `init` produces. A stored record may be damaged.
  package var isValid: Bool {
    let marks = [caret, top] + (outline.map { [$0] } ?? [])
    return version == 1 && path.hasPrefix("/") && (0...100).contains(percent)
      && (0...Self.mostUnits).contains(length) && (0...Self.mostUnits).contains(caretRow ?? 0)
      && title.count <= Self.longestLine && query.count <= Self.longestLine
      && (document == nil || Document.ID(document ?? "") != nil)
      && marks.allSatisfy { mark in
        (0...Self.mostUnits).contains(mark.start) && (0...Self.mostUnits).contains(mark.delta)
      }
  }
}

// MARK: - Finding a place again

extension ReadingPlace {
  /// Returns the offsets of the place in a text that may have been edited since. If the words of a
  /// mark are gone, its offset is that of the words next to them, and otherwise in proportion to
  /// the length of the text. O(text).
  ///
  /// - Parameters:
  ///   - digest: the digest of the text.
  ///   - snapshot: the text at the time of the record; nil if it is no longer known.
  package func offsets(
    in text: RenderedText, digest: ContentDigest, from snapshot: [UInt16]? = nil,
    by plugins: PluginSet
  ) -> Offsets {
    let marks = [caret, top] + (outline.map { [$0] } ?? [])
    let count = text.utf16.count
    let found: [Int]
    if digest == self.text {
      found = marks.map { $0.start + $0.delta }
    } else {
      let old = snapshot.map { AnchorText(utf16: $0) }
      let subjects = marks.map { $0.subjects(in: old?.units.count) }
      let anchors = Anchorer(strategies: plugins.anchoring.all).reanchor(
        subjects.flatMap { $0.map(\.subject) }, from: old, to: AnchorText(utf16: text.utf16))
      var rest = anchors[...]
      found = zip(marks, subjects).map { mark, subjects in
        let own = rest.prefix(subjects.count)
        rest = rest.dropFirst(subjects.count)
        for (anchor, subject) in zip(own, subjects) {
          guard let range = anchor.range?.utf16 else { continue }
          return range.lowerBound + subject.offset(Array(text.utf16[range.clamped(to: 0..<count)]))
        }
        let share = Double(mark.start + mark.delta) / Double(max(1, length))
        return Int(min(1, share) * Double(count))
      }
    }
    let inside = found.map { TextOffset(utf16: max(0, min($0, count))) }
    return Offsets(caret: inside[0], top: inside[1], outline: inside.count > 2 ? inside[2] : nil)
  }
}

extension ReadingPlace.Mark {
  /// A passage to search for, and the offset of the mark in the passage that is found.
  fileprivate struct Subject {
    var subject: AnchorSubject
    var offset: ([UInt16]) -> Int
  }

  /// Returns the offset in an edited passage that corresponds to one in the original. Equal text at
  /// the start or at the end of both decides.
  private static func offset(_ offset: Int, of old: [UInt16], in new: [UInt16]) -> Int {
    let same = zip(old, new).prefix { $0 == $1 }.count
    if offset <= same { return offset }
    let sameAtEnd = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
    if old.count - offset <= sameAtEnd { return new.count - max(0, old.count - offset) }
    return min(offset, new.count)
  }

  /// Returns the mark's words and the texts after and before them, in the order in which they are
  /// preferred.
  ///
  /// - Parameter limit: the length of the earlier text; nil if it isn't known.
  fileprivate func subjects(in limit: Int?) -> [Subject] {
    let (start, length) = (self.start, quote.utf16.count)
    let end = start + length
    let (delta, words) = (self.delta, Array(quote.utf16))
    var result: [Subject] = []
    func add(
      _ exact: String, _ prefix: String, _ suffix: String, at position: Int,
      _ offset: @escaping ([UInt16]) -> Int
    ) {
      // A passage of white space is at too many places.
      guard exact.contains(where: { !$0.isWhitespace }), position >= 0 else { return }
      let range = TextRange(utf16: position..<position + exact.utf16.count)
      let isKnown = limit.map { range.utf16.upperBound <= $0 } ?? false
      let selector = Selector(
        exact: exact, prefix: prefix, suffix: suffix, position: range, textDigest: nil,
        renderVersion: ParsedDocument.renderVersion)
      result.append(
        Subject(
          subject: AnchorSubject(selector: selector, last: isKnown ? range : nil), offset: offset))
    }
    add(quote, before, after, at: start) { Self.offset(delta, of: words, in: $0) }
    let next = after.drop(while: \.isWhitespace)
    add(
      String(next), String(quote.suffix(Self.contextOfContext)), "",
      at: end + after.utf16.count - next.utf16.count
    ) { _ in 0 }
    add(
      before, "", String(quote.prefix(Self.contextOfContext)), at: start - before.utf16.count
    ) { $0.count }
    return result
  }

  /// The number of characters of the words that are the context of the text beside them.
  private static let contextOfContext = 40
}

extension Library {
  /// Returns the offsets of a reading place in the current text of a document. It is compared with
  /// the text at the time of the record, if the library still has that.
  ///
  /// - Parameter digest: the digest of the current text.
  package func offsets(of place: ReadingPlace, in open: OpenDocument, digest: ContentDigest)
    -> ReadingPlace.Offsets
  {
    var snapshot: [UInt16]?
    if digest != place.text, let document = open.document,
      let text = try? earlierText(EarlierText(place.text, nil), of: document)
    {
      snapshot = text.units
    }
    return place.offsets(in: open.parsed.text, digest: digest, from: snapshot, by: plugins)
  }
}
