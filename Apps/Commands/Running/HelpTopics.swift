import Console
import Reader

/// The topics of `help` that aren't commands, such as `help keys`.
enum HelpTopic: String, CaseIterable {
  case keys, spec, filter, dates, template

  /// Returns the topic of a command line, such as `help keys`; nil for other lines.
  init?(_ words: [String]) {
    guard words.count == 2, words[0] == "help", let topic = HelpTopic(rawValue: words[1]) else {
      return nil
    }
    self = topic
  }

  /// The names of all topics, for help texts.
  static let names = String(allCases.reduce("") { "\($0), \($1.rawValue)" }.dropFirst(2))

  /// The description for lists of topics.
  var summary: String {
    switch self {
    case .keys: "The keys of the readers in the terminal and in the browser."
    case .spec: "The ways to name a passage, for mark, select, copy and others."
    case .filter: "The words of --filter, of list, export and hl."
    case .dates: "The dates that options such as --since accept."
    case .template: "The names in the templates of list, show and hl show."
    }
  }

  /// The lines of the text, at most 80 columns wide.
  var lines: [String] {
    switch self {
    case .keys: Self.keyLines
    case .spec: Self.specLines
    case .filter: Self.filterLines
    case .dates: Self.dateLines
    case .template: Self.templateLines
    }
  }

  /// The forms of a SPEC, with their meanings. `Documentation/command-line.md` has the same ones.
  static let specs: [(form: String, meaning: String)] = [
    (#""exact words""#, "a quote"),
    (##""exact words"#2"##, "its second occurrence"),
    (#""first words"…"last words""#, "from one quote to the other; ... works, too"),
    (##""first"#2…"last""##, "the same, from the second of the first quote"),
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
    table("A SPEC selects a passage of a document:", specs)
      + [
        "Anything else is a quote. A shell removes quotation marks, so put single ones",
        #"around the double ones: diple mark essay.md '"exact words"'"#,
        "",
        "If the document does not have the quote, Diple uses the passage that differs",
        "from it only in case, accents, punctuation or Markdown's marks, and prints the",
        "difference. If there are several, it lists them and changes nothing.",
        "",
        "A position such as 12:5, for `at` and `goto` and in output, is a line and a",
        "column of the file, both from 1. Columns are UTF-16 units: most characters are",
        "one column, and emoji two or more. They are not bytes or cells of the terminal.",
      ]
  }

  /// The words of a filter, with their meanings.
  static let filters: [(form: String, meaning: String)] = [
    ("color:green", "of this colour, or with this label"),
    (#"#todo  tag:"two words""#, "with this tag"),
    ("state:orphaned", "in this state"),
    ("doc:essay", "in documents with this text in the path or title"),
    ("since:7d", "created or changed since then; see `help dates`"),
    ("has:note  has:tag", "with a note, or with any tag"),
    ("quote:fox  note:fox", "with this text in the quote, or in the note"),
    (#"fox  "two words""#, "with this text in the quote or the note"),
  ]

  private static var filterLines: [String] {
    table("A highlight must match all words of a filter:", filters)
      + [
        "- before a word excludes the highlights that match it: -#old. Commas separate",
        "alternatives: color:green,blue.",
        "",
        "  diple list --filter 'color:green -#old doc:essay'",
        "  diple hl tag --filter 'color:green since:7d' +todo --dry-run",
      ]
  }

  /// The forms of a date, with their meanings.
  static let dateForms: [(form: String, meaning: String)] = [
    ("today  yesterday", "the start of that day"),
    ("monday  mon", "the start of the last such day; today counts"),
    ("7d  2 weeks  1mo  1 year  3h", "so long ago"),
    ("2026-01-31  2026-01  2026", "the start of a day, month or year"),
    ("2026-01-31 12:00", "a local time"),
    ("2026-01-31T12:00:00Z", "a time with an offset (RFC 3339)"),
  ]

  private static var dateLines: [String] {
    Array(table("Options such as --since accept these dates:", dateForms).dropLast())
  }

  private static var templateLines: [String] {
    table("--format writes a line for each highlight, with names in double braces:", templates)
      + [
        "\\t is a tab and \\n a line feed. Documentation/exporting.md describes lists and",
        "conditions, which the templates of `export` have.",
        "",
        "  diple list --format '{{path}}:{{line}}:{{column}} {{quote}}'",
      ]
  }

  /// The most useful names in a template, with their meanings.
  static let templates: [(form: String, meaning: String)] = [
    ("quote  note  prefix  suffix", "the words, the note, the words around them"),
    ("marked", "the words as they were marked, if edited since"),
    ("path  title  author  citation", "of the document"),
    ("document  document_note", "its id, and its note"),
    ("line  column  start  end", "the position in the file, and in the text"),
    ("color  label  letter  state", "yellow, your name for it, Y, exact"),
    ("created  updated", "the times (RFC 3339, UTC)"),
    ("id  link", "the whole id, and an address that opens it"),
    ("number", "by which commands name it, such as 42"),
    ("index", "the number of the line, from 1"),
    ("place", "the page or location of an imported highlight"),
    ("facts", "colour, line, state and tags in one line"),
  ]

  /// Returns a title and the rows of a table below it, and an empty line.
  private static func table(_ title: String, _ rows: [(form: String, meaning: String)]) -> [String]
  {
    let width = rows.reduce(0) { max($0, $1.form.count) } + 2
    return [title, ""] + rows.map { "  " + $0.form.padded(to: width) + $0.meaning } + [""]
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
