import Console
import Reader

/// The topics of `help` that aren't commands, such as `help keys`.
enum HelpTopic: String, CaseIterable {
  case keys, spec

  /// Returns the topic of a command line, such as `help keys`; nil for other lines.
  init?(_ words: [String]) {
    guard words.count == 2, words[0] == "help", let topic = HelpTopic(rawValue: words[1]) else {
      return nil
    }
    self = topic
  }

  /// The names of all topics, for help texts.
  static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// The description for lists of topics.
  var summary: String {
    switch self {
    case .keys: "The keys of the readers in the terminal and in the browser."
    case .spec: "The ways to name a passage, for mark, select, copy and others."
    }
  }

  /// The lines of the text, at most 80 columns wide.
  var lines: [String] {
    switch self {
    case .keys: Self.keyLines
    case .spec: Self.specLines
    }
  }

  /// The forms of a SPEC, with their meanings. `Documentation/command-line.md` has the same ones.
  static let specs: [(form: String, meaning: String)] = [
    (#""exact words""#, "a quote"),
    (##""exact words"#2"##, "its second occurrence"),
    (#""first words"…"last words""#, "from one quote to the other; ... works, too"),
    ("match:/re/", "a match of a regular expression"),
    ("match:/re/#2", "its second match"),
    ("word:12  words:12..19", "words of the text, counted from 1"),
    ("line:4  lines:4..7", "the text of lines of the file"),
    ("row:4  rows:4..7", "rows of the page at the width of this terminal"),
    ("para:3  paras:3..5", "paragraphs, headings, code blocks and table cells"),
    (#"heading:"Intro""#, "the text of a heading"),
    (#"section:"Intro""#, "a heading and all text up to the next of its level"),
    ("u16:120-164", "UTF-16 units of the rendered text, end excluded"),
    ("hl:8", "the passage of highlight 8"),
    ("all", "the whole document"),
    ("-", "a quote on standard input"),
  ]

  private static var specLines: [String] {
    let width = specs.reduce(0) { max($0, $1.form.count) } + 2
    return ["A SPEC selects a passage of a document:", ""]
      + specs.map { "  " + $0.form.padded(to: width) + $0.meaning }
      + [
        "",
        "Anything else is a quote. A shell removes quotation marks, so put single ones",
        #"around the double ones: diple mark essay.md '"exact words"'"#,
        "",
        "If the document does not have the quote, Diple uses the passage that differs",
        "from it only in case, accents, punctuation or Markdown's marks, and prints the",
        "difference. If there are several, it lists them and changes nothing.",
      ]
  }

  private static var keyLines: [String] {
    func width(_ keys: KeyPath<ReaderKeys, [String]>) -> Int {
      ReaderKeys.all.map { $0[keyPath: keys].joined(separator: " ").count }.max() ?? 0
    }
    let (terminal, browser) = (width(\.terminal) + 2, width(\.browser) + 2)
    func line(_ first: String, _ second: String, _ third: String) -> String {
      "  " + first.padded(to: terminal) + second.padded(to: browser) + third
    }
    var lines = [line("terminal", "browser", "")]
    for group in ReaderKeys.Group.allCases {
      lines += ["", group.rawValue]
      lines += ReaderKeys.rows(of: group).map { row in
        line(
          row.terminal.joined(separator: " "), row.browser.joined(separator: " "), row.meaning)
      }
    }
    return lines.map { line in
      var line = line[...]
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }
}
