import Model
package import Rendering
import Search

/// A full-screen list of documents that is filtered while the user types. It has no I/O: the
/// program passes events to it, draws its screen, and performs the outcome.
///
/// ```swift
/// var picker = Picker("Read", entries, query: "", columns: 80, rows: 24)
/// if case .chosen(let entry, _) = picker.handle(event) { open(entries[entry]) }
/// draw(picker.screen())
/// ```
package struct Picker {
  /// A document in the list.
  package struct Entry: Sendable {
    /// The document's title.
    package var title: String
    /// The path as it is shown.
    package var path: String
    /// How much of the document was read, in percent; nil if it was not read.
    package var percent: Int?
    /// When it was read last, such as `2 h ago`; empty if it was not read.
    package var time: String

    package init(title: String, path: String, percent: Int? = nil, time: String = "") {
      (self.title, self.path, self.percent, self.time) = (title, path, percent, time)
    }
  }

  /// What the program must do.
  package enum Outcome: Hashable, Sendable {
    /// The user has chosen an entry, and the heading that matched best; nil if the title or the path
    /// matched better.
    case chosen(entry: Int, heading: Int?)
    /// The user has left the list without a choice.
    case cancelled
    /// Ctrl-Z was pressed.
    case suspended
    /// Redraw every cell, because another program may have written on the screen.
    case redrawn
  }

  /// An entry that matches the query.
  package struct Match: Hashable, Sendable {
    /// The index of the entry.
    package var entry: Int
    /// The index of the heading that matches better than title and path, or nil.
    package var heading: Int?
    /// The score; 0 without a query.
    package var score: Int
  }

  /// The texts of an entry that are compared with the query.
  private struct Texts {
    var title: FuzzyText
    var path: FuzzyText
    var headings: [FuzzyText] = []
    /// The letters of each heading. Most headings are rejected by them alone.
    var letterSets: [UInt64] = []
  }

  /// The advantage in score of a title over a path or heading with the same match.
  private static let titleBonus = 4
  /// The maximum number of headings of a document that are compared.
  package static let mostHeadings = 1_000

  private let name: String
  private let entries: [Entry]
  private var texts: [Texts]
  private var field: LineField
  private var pattern: FuzzyPattern
  /// The entries that match, best first. Equal ones are in the order of the entries.
  package private(set) var matches: [Match] = []
  /// The index of the chosen match.
  private var index = 0
  /// The index of the first match on the screen.
  private var first = 0
  private var columns: Int
  private var rows: Int
  /// Whether the headings of all entries are known.
  package var isComplete = false

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - name: what the list is for, shown before the query.
  ///   - entries: the documents, in the order without a query.
  ///   - query: the initial query.
  package init(_ name: String, _ entries: [Entry], query: String, columns: Int, rows: Int) {
    (self.name, self.entries) = (name, entries)
    texts = entries.map { Texts(title: FuzzyText($0.title), path: FuzzyText($0.path)) }
    field = LineField(query)
    pattern = FuzzyPattern(query)
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
    filter(Array(entries.indices))
  }

  /// The query as typed.
  package var query: String { field.text }

  /// Sets the size of the screen in cells.
  package mutating func resize(columns: Int, rows: Int) {
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
  }

  /// Adds the headings of entries, which become searchable.
  ///
  /// - Parameter found: the index of each entry with its headings, in the order of the text.
  package mutating func add(_ found: [(entry: Int, headings: [String])]) {
    for (entry, headings) in found {
      texts[entry].headings = headings.prefix(Self.mostHeadings).map { FuzzyText($0) }
      texts[entry].letterSets = texts[entry].headings.map(\.letterSet)
    }
    guard !pattern.words.isEmpty else { return }
    let chosen = index > 0 && matches.indices.contains(index) ? matches[index].entry : nil
    let changed = Set(found.map(\.entry))
    matches.removeAll { changed.contains($0.entry) }
    matches += changed.compactMap(match)
    sort()
    index = chosen.flatMap { entry in matches.firstIndex { $0.entry == entry } } ?? 0
  }

  // MARK: - Matching

  private mutating func queryChanged() {
    let new = FuzzyPattern(field.text)
    let candidates =
      new.narrows(pattern) && !pattern.words.isEmpty
      ? matches.map(\.entry) : Array(entries.indices)
    pattern = new
    filter(candidates)
  }

  private mutating func filter(_ candidates: [Int]) {
    (index, first) = (0, 0)
    if pattern.words.isEmpty {
      matches = entries.indices.map { Match(entry: $0, heading: nil, score: 0) }
    } else {
      matches = candidates.compactMap(match)
      sort()
    }
  }

  private mutating func sort() {
    matches.sort { $0.score == $1.score ? $0.entry < $1.entry : $0.score > $1.score }
  }

  /// Returns the match of an entry: each word of the query must be in its title, its path or the
  /// same one of its headings.
  private func match(_ entry: Int) -> Match? {
    let texts = texts[entry]
    let own = pattern.words.map { Self.score($0, texts.title, texts.path) }
    let total = own.reduce(0 as Int?) { sum, score in sum.flatMap { sum in score.map { sum + $0 } }
    }
    var best = total.map { Match(entry: entry, heading: nil, score: $0) }
    for (index, letterSet) in texts.letterSets.enumerated() {
      var (sum, isBetter) = (0 as Int?, false)
      guard pattern.words.contains(where: { $0.mayMatch(letterSet) }) else { continue }
      let heading = texts.headings[index]
      for (word, own) in zip(pattern.words, own) {
        let score = word.score(heading)
        if let score, score > own ?? 0 { isBetter = true }
        guard let higher = [score, own].compactMap({ $0 }).max() else {
          sum = nil
          break
        }
        sum = sum.map { $0 + higher }
      }
      if let sum, isBetter, sum > best?.score ?? 0 {
        best = Match(entry: entry, heading: index, score: sum)
      }
    }
    return best
  }

  private static func score(_ word: FuzzyPattern.Word, _ title: FuzzyText, _ path: FuzzyText)
    -> Int?
  {
    let inTitle = word.score(title).map { $0 + titleBonus }
    return [inTitle, word.score(path)].compactMap { $0 }.max()
  }

  // MARK: - Keys

  /// Handles an event. Returns nil if the list stays open and only the screen may have changed.
  package mutating func handle(_ event: InputEvent) -> Outcome? {
    switch event {
    case .key(let key, let modifiers): return take(key, modifiers)
    case .paste(let text):
      field.insert(text)
      queryChanged()
    case .mouse(let mouse):
      switch mouse.action {
      case .wheelUp: move(by: -3)
      case .wheelDown: move(by: 3)
      case .press where mouse.button == .left:
        let clicked = first + mouse.position.row - 1
        guard mouse.position.row >= 1, mouse.position.row <= height,
          matches.indices.contains(clicked)
        else { return nil }
        index = clicked
        return choose()
      default: break
      }
    case .background, .answered: break
    }
    return nil
  }

  private mutating func take(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Outcome? {
    switch (key, modifiers.contains(.control)) {
    case (.enter, _): return choose()
    case (.escape, _), (.character("c"), true), (.character("g"), true): return .cancelled
    case (.character("z"), true): return .suspended
    case (.character("l"), true): return .redrawn
    case (.up, _), (.character("p"), true): move(by: -1)
    case (.down, _), (.character("n"), true): move(by: 1)
    case (.tab, _): move(by: modifiers.contains(.shift) ? -1 : 1)
    case (.pageUp, _): move(by: -height)
    case (.pageDown, _): move(by: height)
    default:
      let before = field.text
      _ = field.take(key, modifiers)
      if field.text != before { queryChanged() }
    }
    return nil
  }

  private func choose() -> Outcome? {
    guard matches.indices.contains(index) else { return nil }
    return .chosen(entry: matches[index].entry, heading: matches[index].heading)
  }

  private mutating func move(by count: Int) {
    index = max(0, min(matches.count - 1, index + count))
  }
}

// MARK: - The screen

extension Picker {
  /// The number of rows for matches: all but the query and the keys.
  private var height: Int { max(1, rows - 2) }

  /// The minimum number of columns in which times are shown, and that for percentages and paths.
  private static let (columnsForTime, columnsForPercent, columnsForPath) = (56, 30, 40)
  private static let lit = "1;4"
  private static let dim = "2"

  /// Returns the current contents of the screen. O(screen).
  package mutating func screen() -> Screen {
    first = min(first, index)
    first = max(0, max(first, index - height + 1))
    var screen = Screen(columns: columns, rows: rows)
    let shown = matches[min(first, matches.count)..<min(first + height, matches.count)]
    let layout = Layout(shown.map { (entries[$0.entry], name(of: $0)) }, columns: columns)
    for (row, match) in shown.enumerated() {
      draw(match, layout, isChosen: first + row == index, row: row + 1, on: &screen)
    }
    if matches.isEmpty, rows > 2 {
      let reason = entries.isEmpty ? "no documents" : "nothing matches"
      screen.put(
        isComplete || entries.isEmpty ? reason : "reading headings …", paint: Self.dim, row: 1,
        column: 1)
    }
    drawKeys(on: &screen)
    drawField(on: &screen)
    return screen
  }

  /// The columns in which the parts of the rows are.
  private struct Layout {
    /// The end of the titles.
    var titleEnd: Int
    /// The range of the paths; nil to show none.
    var path: Range<Int>?
    /// The start of the percentages; nil to show none.
    var percent: Int?
    /// The start of the times; nil to show none.
    var time: Int?

    init(_ rows: [(entry: Entry, name: String)], columns: Int) {
      var end = columns - 1
      let times = rows.map { displayWidth(of: $0.entry.time) }.max() ?? 0
      if columns >= Picker.columnsForTime, times > 0 {
        end -= times
        time = end
        end -= 2
      }
      if columns >= Picker.columnsForPercent, rows.contains(where: { $0.entry.percent != nil }) {
        end -= 4
        percent = end
        end -= 2
      }
      let titles = rows.map { displayWidth(of: $0.name) }.max() ?? 0
      titleEnd = min(1 + titles, end)
      guard columns >= Picker.columnsForPath || titles == 0, end > 1 else { return }
      let paths = rows.map { displayWidth(of: $0.entry.path) }.max() ?? 0
      let available = end - 1
      // Shorten the longer ones if titles and paths do not fit beside each other.
      if titles + 2 + paths > available {
        titleEnd = 1 + min(titles, max(available * 3 / 5, available - 2 - paths))
      }
      // Without titles, the paths are in their column.
      let start = titles == 0 ? 1 : titleEnd + 2
      if start < end { path = start..<end }
    }
  }

  private static let section = " § "

  /// Returns the title of a match, and the heading that matched.
  private func name(of match: Match) -> String {
    let title = entries[match.entry].title
    return match.heading.map { title + Self.section + texts[match.entry].headings[$0].string }
      ?? title
  }

  /// Returns the characters to light in the name of a match and in its path. Each word of the query
  /// is lit where its score is highest.
  private func lit(_ match: Match) -> (name: Set<Int>, path: Set<Int>) {
    let texts = texts[match.entry]
    var (name, path) = (Set<Int>(), Set<Int>())
    let start = texts.title.string.count + Self.section.count
    for word in pattern.words {
      let inTitle = word.score(texts.title).map { $0 + Self.titleBonus } ?? 0
      let inPath = word.score(texts.path) ?? 0
      let heading = match.heading.map { texts.headings[$0] }
      let inHeading = heading.flatMap { word.score($0) } ?? 0
      if let heading, inHeading > max(inTitle, inPath) {
        name.formUnion(word.matchedCharacters(of: heading.string).map { $0 + start })
      } else if inTitle >= inPath {
        name.formUnion(word.matchedCharacters(of: texts.title.string))
      } else {
        path.formUnion(word.matchedCharacters(of: texts.path.string))
      }
    }
    return (name, path)
  }

  private func draw(
    _ match: Match, _ layout: Layout, isChosen: Bool, row: Int, on screen: inout Screen
  ) {
    let entry = entries[match.entry]
    let paint = isChosen ? "7" : ""
    let (litName, litPath) = lit(match)
    screen.fill(paint: paint, row: row, from: 0)
    put(
      Self.shortened(name(of: match), to: layout.titleEnd - 1), litName, paint: paint, row: row,
      column: 1, on: &screen)
    let faint = isChosen ? paint : Self.dim
    if let path = layout.path {
      put(
        Self.shortenedAtStart(entry.path, to: path.count), litPath, paint: faint, row: row,
        column: path.lowerBound, on: &screen)
    }
    if let column = layout.percent, let percent = entry.percent {
      let text = "\(percent)%"
      screen.put(text, paint: faint, row: row, column: column + 4 - text.count)
    }
    if let column = layout.time {
      screen.put(entry.time, paint: faint, row: row, column: column)
    }
  }

  /// Writes characters with their indices in the original text, and lights some of them.
  private func put(
    _ text: [Shown], _ lit: Set<Int>, paint: String, row: Int, column: Int,
    on screen: inout Screen
  ) {
    var column = column
    for shown in text {
      let codes = lit.contains(shown.index) ? [paint, Self.lit].filter { !$0.isEmpty } : [paint]
      column = screen.put(
        String(shown.character), paint: codes.joined(separator: ";"), row: row, column: column)
    }
  }

  /// A character of a shortened text.
  private struct Shown {
    /// The index in the whole text; -1 for the sign of omitted characters.
    var index: Int
    var character: Character

    static let omission = Shown(index: -1, character: "…")
    var width: Int { displayWidth(of: character.sanitizedForTerminal) }
  }

  /// Returns the characters of a text that fit, with `…` for an omitted end.
  private static func shortened(_ text: String, to columns: Int) -> [Shown] {
    var (result, width) = ([Shown](), 0)
    for (index, character) in text.enumerated() {
      let shown = Shown(index: index, character: character)
      guard width + shown.width > columns else {
        width += shown.width
        result.append(shown)
        continue
      }
      while let last = result.last, width > columns - 1 {
        width -= last.width
        result.removeLast()
      }
      return columns > 0 ? result + [.omission] : []
    }
    return result
  }

  /// Returns the characters of a text that fit, with `…` for an omitted start.
  private static func shortenedAtStart(_ text: String, to columns: Int) -> [Shown] {
    let all = text.enumerated().map { Shown(index: $0.offset, character: $0.element) }
    guard displayWidth(of: text) > columns else { return all }
    var (start, width) = (all.count, 1)
    while start > 0, width + all[start - 1].width <= columns {
      start -= 1
      width += all[start].width
    }
    return columns > 0 ? [.omission] + all[start...] : []
  }

  private func drawField(on screen: inout Screen) {
    let count =
      pattern.words.isEmpty ? "\(entries.count)" : "\(matches.count) of \(entries.count)"
    let right = isComplete ? count : count + " …"
    let start = screen.put(name + ": ", paint: "1", row: 0, column: 0)
    let end = max(start + 4, columns - right.count - 2)
    let before = field.beforeCursor(columns: end - start - 1)
    let cursor = screen.put(before, row: 0, column: start, limit: end)
    screen.put(field.afterCursor(columns: columns), row: 0, column: cursor, limit: end)
    if end + 2 + right.count <= columns {
      screen.put(right, paint: Self.dim, row: 0, column: columns - right.count)
    }
    screen.cursor = Screen.Position(row: 0, column: min(cursor, columns - 1))
  }

  /// The keys at the bottom, most useful first. Those that do not fit are not shown.
  private static let keys = ["Enter opens", "Esc leaves", "Up Down choose", "PgUp PgDn"]

  private func drawKeys(on screen: inout Screen) {
    guard rows > 2 else { return }
    let row = rows - 1
    var line = ""
    for key in Self.keys {
      let longer = line.isEmpty ? " " + key : line + "  " + key
      if longer.count < columns { line = longer }
    }
    let end = screen.put(line, paint: "7", row: row, column: 0)
    screen.fill(paint: "7", row: row, from: end)
  }
}
