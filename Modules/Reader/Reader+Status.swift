import Editing
import MarkdownParse
import Model
import Rendering

/// The last rows of the screen: prompts, questions, messages, and the status line.
extension Reader {
  /// A part of the status line. Parts with a low priority are omitted on a narrow screen.
  private struct Part {
    var text: String
    var priority: Int
    /// The smallest number of columns to which the part can be shortened; nil if it can't.
    var least: Int?
  }

  mutating func drawStatus(on screen: inout Screen) {
    let row = rows - 1
    guard rows > 1 else { return }
    switch mode {
    case .prompt(let prompt, let field): return draw(prompt, field, row, &screen)
    case .question(let question):
      return draw(Self.wrapped(question, columns: columns - 2), right: Self.answerKeys, on: &screen)
    default: break
    }
    if !answer.isEmpty { return drawAnswer(on: &screen) }
    if let notice = notices.first { return draw(notice, right: selectedPart ?? "", row, &screen) }
    let (left, right) = status
    draw(left, right: right, row, &screen)
  }

  private static let answerKeys = "y yes, n no, a all, q quit"

  /// Draws a line with a text at its right edge. The line is shortened to the space before it.
  private func draw(_ left: String, right: String, _ row: Int, _ screen: inout Screen) {
    screen.fill(paint: "7", row: row, from: 0)
    let width = displayWidth(of: right)
    let isBeside =
      width > 0 && (displayWidth(of: left) + width + 4 <= columns || columns - width >= 16)
    let available = columns - 2 - (isBeside ? width + 2 : 0)
    screen.put(Self.shortened(left, to: available), paint: "7", row: row, column: min(1, columns))
    if isBeside || left.isEmpty {
      screen.put(right, paint: "7", row: row, column: max(0, columns - width - 1))
    }
  }

  /// Draws lines over the last rows of the screen, with a text at the right edge of the last one, or
  /// in a further row if it doesn't fit.
  private func draw(_ lines: [String], right: String, on screen: inout Screen) {
    var lines = lines
    let width = displayWidth(of: right)
    if width > 0, displayWidth(of: lines.last ?? "") + width + 4 > columns { lines.append("") }
    let most = max(1, min(rows - 1, rows / 2 + 1))
    if lines.count > most {
      let rest = lines[(most - 1)...].joined(separator: " ")
      lines = lines[..<(most - 1)] + [Self.shortened(rest, to: columns - 2)]
    }
    for (index, line) in lines.enumerated() {
      let row = rows - lines.count + index
      draw(line, right: index == lines.count - 1 ? right : "", row, &screen)
    }
  }

  private func drawAnswer(on screen: inout Screen) {
    let lines = answer.split(separator: "\n").map(String.init)
    draw(lines.flatMap(wrappedAnswer), right: "", on: &screen)
  }

  private func wrappedAnswer(_ line: String) -> [String] {
    Self.wrapped(line, columns: max(8, columns - 2), hanging: 2)
  }

  /// The maximum number of rows of a message that covers the end of the text.
  private static let mostAnswerRows = 3

  /// Returns whether a message is short enough for the bottom of the screen. A longer one is shown
  /// in a list.
  package func fitsAtBottom(_ lines: [String]) -> Bool {
    lines.reduce(0) { $0 + wrappedAnswer($1).count } <= min(Self.mostAnswerRows, max(1, rows / 3))
  }

  /// Returns a line that fits into a number of columns. If it is too long, it ends with … after the
  /// last word that fits; only a word that is longer than half of the columns is divided.
  static func shortened(_ line: String, to columns: Int) -> String {
    guard displayWidth(of: line) > columns else { return line }
    var (width, fitting, end) = (0, "", String?.none)
    for character in line {
      if character == " ", !fitting.isEmpty { end = fitting }
      width += displayWidth(of: character.sanitizedForTerminal)
      if width > columns - 1 { break }
      fitting.append(character)
    }
    guard columns > 0 else { return "" }
    // An address is divided rather than left out.
    let isLong = end.map { displayWidth(of: $0) * 2 < columns } ?? true
    var kept = isLong ? fitting : end ?? fitting
    while let last = kept.last, " ·,;:(".contains(last) { kept.removeLast() }
    return kept + "…"
  }

  // MARK: - Parts of the status line

  /// A short description of the selection, or nil for a caret.
  private var selectedPart: String? {
    if let highlight = currentHighlight {
      return "highlight \(highlight.shortID), \(highlight.color)"
    }
    if selection.isCaret { return nil }
    return "\(text.document.text.substring(selection.range).count) selected"
  }

  /// The parts on the left, in their order.
  private var parts: [Part] {
    var parts = [Part(text: text.title, priority: 4, least: 8)]
    let unsure = text.highlights.count(where: \.needsReview)
    if let selectedPart { parts.append(Part(text: selectedPart, priority: 9)) }
    if let highlight = currentHighlight {
      let others = text.highlights.filter {
        $0.id != highlight.id && $0.range != nil && $0.range == highlight.range
      }
      if !others.isEmpty {
        let names = others.map { "\($0.shortID) \($0.color)" }.listed
        parts.append(Part(text: "also \(names)", priority: 6, least: 10))
      }
      if !highlight.note.isEmpty {
        let note = highlight.note.replacing("\n", with: " ")
        parts.append(Part(text: "“\(note)”", priority: 8, least: 12))
      }
      if !highlight.tags.isEmpty {
        let tags = highlight.tags.map(\.asTag).joined(separator: " ")
        parts.append(Part(text: tags, priority: 7, least: 8))
      }
    }
    if isExtending { parts.append(Part(text: "selecting", priority: 9)) }
    if unsure > 0 { parts.append(Part(text: "\(unsure) to review: i", priority: 10)) }
    if showsSource { parts.append(Part(text: "source", priority: 3)) }
    if !hasMouse { parts.append(Part(text: "mouse off", priority: 3)) }
    if let heading = plan.heading(of: selection.head) {
      let title = text.document.text.substring(heading.text).replacing("\n", with: " ")
      if title != text.title {
        parts.append(
          Part(
            text: "§ " + Self.shortened(title, to: Self.longestSection), priority: 3, least: 10))
      }
    }
    if !text.highlights.isEmpty {
      parts.append(Part(text: text.highlights.count.counted("highlight"), priority: 2))
    }
    return parts
  }

  /// The maximum width of a heading in the status line, in columns.
  private static let longestSection = 32

  /// The most useful keys at the moment, the most important first.
  private var hints: [String] {
    guard options.hasFooter else { return [] }
    let canMark = text.canMark || text.canAdd
    let finding = isShowingMatches ? ["n next", "Esc end"] : []
    switch subject {
    case .highlight:
      return finding
        + (canMark ? ["1-4 colour", isShowingMatches ? nil : "n note", "t tag", "x remove"] : [])
        .compactMap(\.self) + ["y copy", "Enter menu"]
    case .passage:
      return finding
        + (canMark ? ["1-4 mark", isShowingMatches ? nil : "n note", "t tag"] : [])
        .compactMap(\.self) + ["y copy", "Enter menu"]
    case nil: return finding.isEmpty ? ["? keys", "/ find", "q quit"] : finding
    }
  }

  /// The width in columns from which on all keys for reading are more important than the title.
  private static let usualWidth = 72

  /// The status line: the title, the selection and the section on the left; the keys, the number of
  /// matches and the position on the right.
  private var status: (left: String, right: String) {
    mutating get {
      let counts = (findCount.isEmpty ? "" : findCount + "  ") + "\(percent)%"
      var free = columns - 2 - displayWidth(of: counts)
      guard free >= 0 else { return (Self.shortened(text.title, to: columns - 2), "") }
      var keys: [String] = []
      func addKeys(_ all: [String]) {
        for key in all.dropFirst(keys.count) {
          guard free >= displayWidth(of: key) + 2 else { return }
          free -= displayWidth(of: key) + 2
          keys.append(key)
        }
      }
      let all = hints
      // Without a selection the first key is enough on a narrow screen.
      let isFirstEnough = subject == nil && !isShowingMatches && columns < Self.usualWidth
      let priority = isFirstEnough ? 10 : subject == nil ? 5 : 6
      let parts = parts
      var shown: [Int: String] = [:]
      var hasKeys = false
      for index in parts.indices.sorted(by: { parts[$0].priority > parts[$1].priority }) {
        if !hasKeys, parts[index].priority < priority {
          addKeys(isFirstEnough ? Array(all.prefix(1)) : all)
          hasKeys = true
        }
        let part = parts[index]
        let available = free - (shown.isEmpty ? 2 : 3)
        let width = displayWidth(of: part.text)
        if width > available, part.least.map({ available < $0 }) ?? true { continue }
        let text = Self.shortened(part.text, to: available)
        shown[index] = text
        free -= displayWidth(of: text) + (shown.count == 1 ? 2 : 3)
      }
      addKeys(all)
      let left = shown.sorted { $0.key < $1.key }.map(\.value).joined(separator: " · ")
      return (left, (keys + [counts]).joined(separator: "  "))
    }
  }

  // MARK: - Prompts

  private func draw(_ prompt: Prompt, _ field: LineField, _ row: Int, _ screen: inout Screen) {
    let sign =
      switch prompt {
      case .find: "/"
      case .command: ":"
      case .follow: "follow link: "
      case .tag: "tags, with commas: "
      case .note: "note: "
      }
    var right: String =
      switch prompt {
      case .find: field.text.isEmpty ? "" : "\(findCount) "
      case .note: " Enter saves  ^E editor "
      case .command, .tag: completionCount(of: field)
      case .follow: ""
      }
    drawCompletions(of: field, on: &screen)
    if columns < displayWidth(of: sign + right) + 12 { right = "" }
    let available = max(4, columns - displayWidth(of: sign) - right.count - 1)
    // Show the end of a line that is too long, where text is being typed.
    let start = screen.put(sign, paint: "1", row: row, column: 0)
    let cursor = screen.put(
      field.beforeCursor(columns: available), paint: field.isSuggestion ? "7" : "", row: row,
      column: start,
      limit: start + available)
    screen.put(
      field.afterCursor(columns: columns), row: row, column: cursor, limit: start + available)
    if !right.isEmpty { screen.put(right, row: row, column: columns - right.count) }
    screen.cursor = Screen.Position(row: row, column: min(cursor, columns - 1))
  }
}
