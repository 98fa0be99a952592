import Rendering

/// A help text with one line for each paragraph or entry, which is wrapped to any width.
///
/// An entry is a name, at least two spaces and a description. The description is wrapped in its own
/// column or, where this would be too narrow, below the name.
struct HelpText {
  /// A row of the wrapped text.
  struct Row: Hashable {
    var text: String
    /// Whether the row is the title of a section.
    var isTitle = false
  }

  private var lines: [String] = []

  /// Creates a text from lines. Lines of prose that were already wrapped are joined.
  init(_ lines: [String]) {
    var wasProse = false
    for line in lines {
      let isProse = !line.isEmpty && !line.hasPrefix(" ") && Self.entry(line) == nil
      if isProse, wasProse, let last = self.lines.last {
        self.lines[self.lines.count - 1] = last + " " + line
      } else {
        self.lines.append(line)
      }
      wasProse = isProse && displayWidth(of: line) >= Self.wrappedWidth
    }
    while self.lines.last?.isEmpty == true { self.lines.removeLast() }
  }

  /// The width in columns from which on a line of prose was probably wrapped.
  private static let wrappedWidth = 60
  /// The minimum width in columns of a description beside its name.
  private static let leastBeside = 24
  /// The indentation in columns of a description below its name.
  private static let below = 6

  /// Returns the rows of the text, each at most `columns` wide.
  func rows(columns: Int) -> [Row] {
    lines.flatMap { line -> [Row] in
      if Self.isTitle(line) { return [Row(text: line, isTitle: true)] }
      let indent = line.prefix { $0 == " " }.count
      guard let (name, description) = Self.entry(line) else {
        return Reader.wrapped(line, columns: columns, hanging: hanging(line, indent)).map {
          Row(text: $0)
        }
      }
      let start = displayWidth(of: name)
      if columns - start >= Self.leastBeside {
        let parts = Reader.wrapped(description, columns: columns - start)
        let blank = String(repeating: " ", count: start)
        return parts.enumerated().map { Row(text: ($0 == 0 ? name : blank) + $1) }
      }
      let blank = String(repeating: " ", count: min(Self.below, columns / 4))
      let parts = Reader.wrapped(description, columns: columns - blank.count)
      let label = name.trimmingEnd
      return (label.isEmpty ? [] : Reader.wrapped(label, columns: columns).map { Row(text: $0) })
        + parts.map { Row(text: blank + $0) }
    }
  }

  /// Returns the further indentation of the continuation of a line.
  private func hanging(_ line: String, _ indent: Int) -> Int {
    indent > 0 || line.hasPrefix("USAGE: ") ? 2 : 0
  }

  /// Returns whether a line is the title of a section, such as `OPTIONS:`.
  private static func isTitle(_ line: String) -> Bool {
    line.hasSuffix(":") && line.contains { $0.isLetter } && !line.contains { $0.isLowercase }
  }

  /// Divides an entry before its description. Returns nil for other lines. The name is empty in a
  /// description below a long name.
  private static func entry(_ line: String) -> (name: String, description: String)? {
    guard line.hasPrefix(" ") else { return nil }
    let characters = Array(line)
    guard
      let start = characters.indices.last(where: {
        $0 >= 2 && characters[$0] != " " && characters[$0 - 1] == " " && characters[$0 - 2] == " "
      })
    else { return nil }
    let indent = characters.prefix { $0 == " " }.count
    // A line that is merely indented has no description, unless it is indented like one.
    if start == indent, indent < Self.descriptionIndent { return nil }
    return (String(characters[..<start]), String(characters[start...]))
  }

  /// The indentation in columns from which on a line is a description.
  private static let descriptionIndent = 12
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmingEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension Reader {
  /// Shows a help text until the user closes it. It may cover the whole screen.
  ///
  /// - Parameter lines: a paragraph or an entry each; see ``HelpText``.
  package mutating func showHelp(_ lines: [String], title: String = "Help") {
    let rows = HelpText(lines).rows(columns: helpColumns)
    var list = ReaderList(
      title: "\(title) · PgDn scrolls · Esc closes",
      items: rows.map { .init(title: $0.text, action: .none, isTitle: $0.isTitle) }, isHelp: true)
    list.help = (title, lines)
    open(list, index: 0)
  }

  /// The width of help in columns. The border of the list and the space after it take two.
  var helpColumns: Int { max(16, min(columns, Self.mostHelpColumns) - 2) }

  /// The maximum width of help in columns, as longer lines are hard to read.
  private static let mostHelpColumns = 100
}
