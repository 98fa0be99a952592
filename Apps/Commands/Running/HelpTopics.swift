import Console
import Reader

/// The topics of `help` that aren't commands, such as `help keys`.
enum HelpTopic: String, CaseIterable {
  case keys

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
    }
  }

  /// The lines of the text, at most 80 columns wide.
  var lines: [String] {
    switch self {
    case .keys: Self.keyLines
    }
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
