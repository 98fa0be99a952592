import FoundationEssentials
public import Interchange
import Model

/// Reads `My Clippings.txt`, to which a Kindle only appends. It has an entry for each highlight and
/// each note, and another entry whenever one is extended or changed.
///
/// ```swift
/// let content = try KindleClippings().read(ImportSource(bytes))
/// for record in content.records { print(record.title, record.quote) }
/// ```
public struct KindleClippings: Importer {
  /// The id, which selects the format: `diple import --from kindle`.
  public static let id = "kindle"
  /// The name of the format in messages.
  public static let name = "Kindle clippings"
  /// The description that `diple strategies` prints.
  public static let summary = "My Clippings.txt of a Kindle, in its languages"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a highlight that was made longer, and its note",
      input: """
        \u{FEFF}On signs (Reed, Ann)\r
        - Your Highlight on page 12 | Location 340-341 | Added on Friday, 27 January 2023 05:56:46\r
        \r
        Look here\r
        ==========\r
        On signs (Reed, Ann)\r
        - Your Note on page 12 | Location 341 | Added on Friday, 27 January 2023 05:57:00\r
        \r
        Why?\r
        ==========\r
        On signs (Reed, Ann)\r
        - Your Highlight on page 12 | Location 340-342 | Added on Friday, 27 January 2023 05:58:46\r
        \r
        Look here and there\r
        ==========\r

        """,
      records: [
        record(
          "Look here and there", "page 12 · location 340-342", 1_674_799_126, note: "Why?",
          earlier: [record("Look here", "page 12 · location 340-341", 1_674_799_006)])
      ]),
    ImportExample("something else", input: "Look here\n==\nand there\n", records: nil),
  ]

  private static func record(
    _ quote: String, _ location: String, _ seconds: Int, note: String = "",
    earlier: [AnnotationRecord] = []
  ) -> AnnotationRecord {
    let date = Date(timeIntervalSince1970: TimeInterval(seconds))
    var record = AnnotationRecord(
      id: "", quote: quote, source: "", title: "On signs", color: .yellow, note: note,
      created: date, updated: date)
    record.author = "Reed, Ann"
    record.location = location
    record.hasLocalDates = true
    record.earlier = earlier
    return record
  }

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file contains a divider, and its first 4 KiB the head of an entry after
  /// the line of a title.
  public func recognizes(_ source: ImportSource) -> Bool {
    let start = String(decoding: source.bytes.prefix(4096), as: UTF8.self)
    var hasTitle = false
    for line in start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = Self.visible(line)
      if hasTitle, ClippingHead.recognizes(line) {
        return source.bytes.contains(Array(Self.divider.utf8))
      }
      hasTitle = !line.isEmpty && !line.hasPrefix(Self.divider)
    }
    return false
  }

  private static let divider = "=========="

  private struct Entry {
    var title: String
    var author: String
    var head: ClippingHead
    var text: String
    /// The number of the entry in the file, from 1.
    var number: Int
  }

  /// Reads the records. Earlier versions of a highlight become its `earlier` records, and notes are
  /// joined to their highlights. Notes without a highlight are notes on the book. Bookmarks and
  /// empty entries are skipped.
  ///
  /// - Throws: `ImportError` if no entry is valid.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    var content = ImportContent(records: [])
    var bookmarks = 0
    var books: [[String]: (entries: [Entry], first: Int)] = [:]
    var count = 0
    var lines: [String] = []
    var number = 0
    // The numbers of entries whose words the Kindle omitted, by title.
    var omitted: [String: Int] = [:]
    func take() {
      defer { lines = [] }
      while let first = lines.first, first.isEmpty { lines.removeFirst() }
      guard !lines.isEmpty else { return }
      number += 1
      guard lines.count > 1, ClippingHead.begins(lines[1]),
        lines[1].utf8.count <= ClippingHead.limit
      else {
        content.skipped.append("entry \(number) is not a clipping")
        return
      }
      count += 1
      let (title, author) = Self.book(lines[0])
      let words = lines.dropFirst(2).joined(separator: "\n").trimmed
      let text = Self.withoutLimit(words)
      let entry = Entry(
        title: title, author: author, head: ClippingHead(lines[1]), text: text, number: number)
      if entry.head.kind == .bookmark {
        bookmarks += 1
      } else if words.isEmpty {
        content.skipped.append("entry \(number), of \(title), has no text")
      } else if text.isEmpty {
        omitted[title, default: 0] += 1
      } else {
        books[[title, author], default: ([], number)].entries.append(entry)
      }
    }
    for line in source.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = Self.visible(line)
      if line.hasPrefix(Self.divider) { take() } else { lines.append(line) }
    }
    take()
    guard count > 0 else { throw ImportError("not the clippings of a Kindle") }
    if bookmarks > 0 {
      content.skipped.append(bookmarks == 1 ? "a bookmark" : "\(bookmarks) bookmarks")
    }
    for (title, count) in omitted.sorted(by: { $0.key < $1.key }) {
      content.skipped.append(
        "\(count == 1 ? "an entry" : "\(count) entries") of \(title), which the Kindle omitted "
          + "because of the publisher's limit")
    }
    for book in books.values.sorted(by: { $0.first < $1.first }) {
      content.records += Self.records(book.entries, &content)
    }
    return content
  }

  /// Returns a line without byte order marks, direction marks and surrounding white space.
  private static func visible(_ line: Substring) -> String {
    let hidden: Set<Unicode.Scalar> = ["\u{FEFF}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202C}"]
    guard line.unicodeScalars.contains(where: hidden.contains) else { return String(line).trimmed }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: line.unicodeScalars.lazy.filter { !hidden.contains($0) })
    return String(text).trimmed
  }

  /// Returns a text without the message that replaces words beyond the publisher's limit, such as
  /// `<You have reached the clipping limit for this item>`.
  private static func withoutLimit(_ text: String) -> String {
    guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else { return text }
    let message = text[start...]
    guard message.utf8.count < 400 else { return text }
    let lower = message.lowercased()
    let isLimit = limitWords.contains(where: lower.contains)
    // In other languages, the message is the whole text.
    let isMessage =
      start == text.startIndex && (message.contains(" ") || message.utf8.contains { $0 > 0x7F })
    return isLimit || isMessage ? String(text[..<start]).trimmed : text
  }

  /// Words of the message, in lower case.
  private static let limitWords = [
    "limit", "límite", "grenze", "上限", "限制", "максимальн", "предел", "sınır",
  ]

  /// Splits a line such as "On signs (2nd ed.) (Reed, Ann)" into the title and the author.
  private static func book(_ line: String) -> (title: String, author: String) {
    guard line.hasSuffix(")") else { return (line, "") }
    var depth = 0
    for index in line.indices.reversed() {
      if line[index] == ")" { depth += 1 }
      if line[index] == "(" { depth -= 1 }
      guard depth == 0 else { continue }
      let title = String(line[..<index]).trimmed
      let author = String(line[line.index(after: index)...].dropLast()).trimmed
      return title.isEmpty || author.isEmpty ? (line, "") : (title, author)
    }
    return (line, "")
  }

  // MARK: - Notes and longer highlights

  private static func records(_ entries: [Entry], _ content: inout ImportContent)
    -> [AnnotationRecord]
  {
    // Order the highlights by location, and at the same location by their order in the file.
    func start(_ entry: Entry) -> Int { entry.head.location?.lowerBound ?? Int.max }
    let highlights = entries.filter { $0.head.kind != .note }.sorted {
      (start($0), $0.number) < (start($1), $1.number)
    }
    var groups: [[Entry]] = []
    for entry in highlights {
      let near = groups.indices.suffix(comparedGroups).last { index in
        groups[index].suffix(comparedGroups).contains { isVersion(entry, of: $0) }
      }
      if let near { groups[near].append(entry) } else { groups.append([entry]) }
    }
    var found = groups.map { group -> (entry: Entry, record: AnnotationRecord) in
      // Use the longest version; of several equally long versions, the newest.
      let best = group.max { ($0.text.count, $0.number) < ($1.text.count, $1.number) } ?? group[0]
      var record = record(of: best)
      var seen: Set = [[best.text, best.head.place]]
      record.earlier = group.filter { seen.insert([$0.text, $0.head.place]).inserted }
        .sorted { $0.number < $1.number }.map(record(of:))
      return (best, record)
    }
    join(entries.filter { $0.head.kind == .note }, to: &found, &content)
    return found.sorted { $0.entry.number < $1.entry.number }.map(\.record)
  }

  /// The number of preceding highlights, and of versions of each, that an entry is compared with.
  /// Earlier highlights can't overlap the entry.
  private static let comparedGroups = 16

  /// Returns whether two entries are versions of the same highlight: one contains the other's
  /// words, at the same location.
  private static func isVersion(_ one: Entry, of other: Entry) -> Bool {
    if let place = one.head.location, let otherPlace = other.head.location {
      guard place.overlaps(otherPlace) else { return false }
    } else if one.head.page != other.head.page {
      return false
    }
    let (short, long) =
      one.text.utf8.count < other.text.utf8.count
      ? (one.text, other.text) : (other.text, one.text)
    // One or two words may also occur in a different highlight.
    return short == long || long.hasPrefix(short) || long.hasSuffix(short)
      || short.utf8.count > 12 && long.utf8.count < 1 << 16 && long.contains(short)
  }

  private static func record(of entry: Entry) -> AnnotationRecord {
    var record = AnnotationRecord(
      id: "", quote: entry.text, source: "", title: entry.title, color: .yellow)
    record.author = entry.author
    record.location = entry.head.place
    record.setDates(entry.head.date)
    return record
  }

  /// Joins notes to their highlights. A note has the location of its highlight's end.
  private static func join(
    _ notes: [Entry], to found: inout [(entry: Entry, record: AnnotationRecord)],
    _ content: inout ImportContent
  ) {
    let places = HighlightPlaces(found.map(\.entry))
    // Of several notes at the same location, the newest is used. A Kindle keeps the older ones. A
    // page without locations can have several notes, of which one may be the beginning of another.
    var newest: [String: [Entry]] = [:]
    for note in notes {
      let place = note.head.place
      let earlier = newest[place]?.indices.suffix(comparedGroups).last { index in
        let other = newest[place]?[index].text ?? ""
        return note.head.location != nil || note.text.hasPrefix(other)
          || other.hasPrefix(note.text)
      }
      let old = earlier.flatMap { newest[place]?.remove(at: $0) }
      newest[place, default: []].append(note)
      if let old, old.text != note.text {
        content.skipped.append(
          """
          the note '\(old.text.prefix(40))' at \(old.head.place) of \(note.title) has a later \
          version
          """
        )
      }
    }
    for note in newest.values.joined().sorted(by: { $0.number < $1.number }) {
      guard let best = places.highlight(of: note) else {
        content.notes.append(
          SeparateNote(
            title: note.title, author: note.author, location: note.head.place, text: note.text))
        continue
      }
      if !found[best].record.note.isEmpty { found[best].record.note += "\n\n" }
      found[best].record.note += note.text
    }
  }

  /// The highlights of a book by their places, to find the highlight of a note. Each search takes
  /// O(log highlights), even if all of them have the same place.
  private struct HighlightPlaces {
    private struct Place {
      var index: Int
      /// The number of the entry in the file.
      var number: Int
      var location: ClosedRange<Int>?
    }

    /// The highlights by the end of their location, and by their page, each in the order of the file.
    private var byEnd: [Int: [Place]] = [:]
    private var byPage: [String: [Place]] = [:]
    /// The highlights with a location, in the order of their locations.
    private var located: [Place] = []

    init(_ highlights: [Entry]) {
      for (index, entry) in highlights.enumerated().sorted(by: {
        $0.element.number < $1.element.number
      }) {
        let place = Place(index: index, number: entry.number, location: entry.head.location)
        if let location = place.location {
          byEnd[location.upperBound, default: []].append(place)
          located.append(place)
        }
        if let page = entry.head.page { byPage[page, default: []].append(place) }
      }
      located.sort {
        ($0.location?.lowerBound ?? 0, $0.number) < ($1.location?.lowerBound ?? 0, $1.number)
      }
    }

    /// Returns the index of a note's highlight; nil if there is none at its place.
    func highlight(of note: Entry) -> Int? {
      guard let location = note.head.location else {
        // On a page without locations, a note belongs to the highlight before it.
        let places = note.head.page.flatMap { byPage[$0] } ?? []
        let next = Self.firstIndex(in: places) { $0.number > note.number }
        return (next > 0 ? places[next - 1] : places.first)?.index
      }
      if let places = byEnd[location.upperBound] {
        // A note usually follows its highlight in the file.
        let next = Self.firstIndex(in: places) { $0.number > note.number }
        let near = places[max(0, next - 1)..<min(places.count, next + 1)]
        return near.min { abs($0.number - note.number) < abs($1.number - note.number) }?.index
      }
      // Highlights rarely overlap, so the one that contains the note is among the last before it.
      let next = Self.firstIndex(in: located) {
        ($0.location?.lowerBound ?? 0) > location.lowerBound
      }
      return located[max(0, next - comparedGroups)..<next].last {
        $0.location?.contains(location.lowerBound) ?? false
      }?.index
    }

    /// Returns the index of the first place that satisfies a condition, which all later ones satisfy,
    /// too; the count if there is none.
    private static func firstIndex(in places: [Place], where condition: (Place) -> Bool) -> Int {
      var (low, high) = (0, places.count)
      while low < high {
        let middle = (low + high) / 2
        if condition(places[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }
}
