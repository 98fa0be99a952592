/// The name of a setting. The raw value is its name in files and commands. In the environment the
/// name is upper-case, with the prefix `DIPLE_` and `_` for each dot.
package enum SettingKey: String, Hashable, Sendable, CaseIterable {
  case readerWidth = "reader.width"
  case readerMeasure = "reader.measure"
  case readerMargin = "reader.margin"
  case readerFooter = "reader.footer"
  case readerSelectable = "reader.selectable"
  case readerPictures = "reader.pictures"
  case readerMouse = "reader.mouse"
  case readerHideTitle = "reader.hide_title"
  case readerRemember = "reader.remember"
  case selectDefaultUnit = "select.default_unit"
  case selectHook = "select.hook"
  case copyClears = "copy.clears"
  case copyAs = "copy.as"
  case copyTo = "copy.to"
  case highlightDefaultColor = "highlight.default_color"
  case formatUnit = "format.unit"
  case themeName = "theme.name"
  case themeBackground = "theme.background"
  case themeSelection = "theme.selection"
  case themeBidi = "theme.bidi"
  case historyLines = "history.lines"
  case daemonSettle = "daemon.settle"
  case daemonSettleMax = "daemon.settle_max"
  case daemonRescan = "daemon.rescan"
  case daemonIndex = "daemon.index"
  case syncTexts = "sync.texts"
  case syncBackground = "sync.background"
  case syncCertificates = "sync.ca_file"
  case daemonLogLevel = "daemon.log_level"
  case backupEnabled = "backup.enabled"
  case backupDays = "backup.days"
  case backupWeeks = "backup.weeks"
  case backupQuiet = "backup.quiet"
  case hooksChanged = "hooks.changed"
  case hooksRescanned = "hooks.rescanned"
  case hooksProblem = "hooks.problem"
  case hooksPaused = "hooks.paused"
  case hooksResumed = "hooks.resumed"
  case hooksStopping = "hooks.stopping"
  case librarySafe = "library.safe"
  case libraryOutside = "library.outside"
  case importLanguages = "import.languages"
  case markdownDialect = "markdown.dialect"
  case markdownFolders = "markdown.folders"
  case editor
  case pager

  /// The setting's values, default and description.
  package var rule: SettingRule {
    switch self {
    case .readerWidth:
      SettingRule(.number(20...10_000), 100, "Maximum text width in columns.")
    case .readerMeasure:
      SettingRule(
        .number(20...10_000), 80,
        """
        Maximum text width in columns in the full-screen reader, which centres the text; not more \
        than reader.width.
        """)
    case .readerMargin:
      SettingRule(
        .number(0...40), 1, "Minimum of empty columns on both sides of the full-screen reader.")
    case .readerFooter:
      SettingRule(
        .flag, true, "Name the most useful keys in the last line of the full-screen reader.")
    case .readerPictures:
      SettingRule(
        .flag, true, "Draw pictures, in show and the reader, if the terminal supports them.",
        isPersonal: true)
    case .readerSelectable:
      SettingRule(
        .flag, true,
        """
        Allow selecting passages: in the reader, and with select, extend, adjust, menu, copy and \
        mark. Commands that find passages themselves, such as find --mark and replace, still work.
        """, isPersonal: true)
    case .readerMouse:
      SettingRule(.flag, true, "Use the mouse in the reader.")
    case .readerHideTitle:
      SettingRule(.flag, false, "Hide the first heading when it is the title.")
    case .readerRemember:
      SettingRule(
        .flag, true, "Remember where you stopped reading each document, in the state folder.",
        isPersonal: true)
    case .selectDefaultUnit:
      SettingRule(
        .choice(["character", "word", "sentence", "line", "paragraph"]), "word",
        "Unit selected by dragging, and default unit of +N.")
    case .selectHook:
      SettingRule(
        .program(mayBeEmpty: true), "",
        "Command run when the selection changes; gets a JSON file.",
        isPersonal: true)
    case .copyClears:
      SettingRule(.flag, false, "Clear the selection after copying.")
    case .copyAs:
      SettingRule(.choice(["plain", "md", "html", "json"]), "plain", "Format of copied text.")
    case .copyTo:
      SettingRule(
        .choice(["auto", "osc52", "wl-copy", "xclip", "xsel"]), "auto",
        "Clipboard to use; auto selects one.", isPersonal: true)
    case .highlightDefaultColor:
      SettingRule(
        .choice(["yellow", "green", "blue", "pink"]), "yellow",
        "Default colour of highlights.")
    case .formatUnit:
      SettingRule(
        .choice(["pt", "cm", "in"]), "pt",
        "Unit in which indents, spacing and margins are shown.")
    case .themeName:
      SettingRule(
        .theme(["auto", "light", "dark", "high-contrast"]), "auto",
        "Colours; auto and high-contrast follow the background, and a .toml file sets others.",
        isPersonal: true)
    case .themeBackground:
      SettingRule(
        .choice(["auto", "light", "dark"]), "auto",
        """
        Background of the terminal; with auto the reader asks the terminal, and commands use \
        COLORFGBG.
        """
      )
    case .themeSelection:
      SettingRule(
        .paint, "reverse", "Background of selected text: reverse, or #RRGGBB.")
    case .themeBidi:
      SettingRule(
        .choice(["auto", "terminal", "diple", "off"]), "auto",
        """
        What orders right-to-left text: the terminal, Diple, or nothing; auto selects the terminal \
        if it is known to do that, and otherwise Diple.
        """, isPersonal: true)
    case .historyLines:
      SettingRule(
        .number(0...100_000), 1_000,
        "Number of typed lines in the history of the line editor and the reader.", isPersonal: true)
    case .daemonSettle:
      SettingRule(
        .number(0...10_000), 150,
        "Milliseconds without changes before files are checked.", isPersonal: true)
    case .daemonSettleMax:
      SettingRule(
        .number(0...600_000), 1_000,
        "Maximum delay in milliseconds while files keep changing.", isPersonal: true)
    case .daemonRescan:
      SettingRule(
        .number(1...86_400), 60,
        "Seconds between full rescans where folders cannot be watched.", isPersonal: true)
    case .syncTexts:
      SettingRule(
        .flag, true,
        """
        Send the texts in which highlights were made, encrypted, so that other devices find the \
        highlights in edited copies.
        """,
        isPersonal: true)
    case .syncBackground:
      SettingRule(
        .flag, true,
        "Sync automatically while the daemon runs, after changes here or on other devices.",
        isPersonal: true)
    case .syncCertificates:
      SettingRule(
        .file, "",
        "File with trusted certificates for WebDAV servers, instead of the system's.",
        isPersonal: true)
    case .daemonIndex:
      SettingRule(
        .flag, true, "Fill the search index while the daemon is idle.", isPersonal: true)
    case .daemonLogLevel:
      SettingRule(
        .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), "info",
        "Minimum log level.", isPersonal: true)
    case .backupEnabled:
      SettingRule(
        .flag, true, "Make backups of the library while the daemon runs.", isPersonal: true)
    case .backupDays:
      SettingRule(
        .number(1...366), 7, "Number of daily backups to keep; days without changes have none.",
        isPersonal: true)
    case .backupWeeks:
      SettingRule(
        .number(0...520), 4, "Number of weekly backups to keep; weeks without changes have none.",
        isPersonal: true)
    case .backupQuiet:
      SettingRule(
        .number(0...86_400), 60,
        "Seconds without changes before the daemon makes a backup.", isPersonal: true)
    case .hooksChanged: Self.hook("documents have changed")
    case .hooksRescanned: Self.hook("all documents were rescanned")
    case .hooksProblem: Self.hook("something cannot be watched")
    case .hooksPaused: Self.hook("the daemon is paused")
    case .hooksResumed: Self.hook("the daemon is resumed")
    case .hooksStopping: Self.hook("the daemon stops")
    case .librarySafe:
      SettingRule(
        .folders, "",
        "Libraries to trust although other users own or can write them.",
        isPersonal: true)
    case .libraryOutside:
      SettingRule(
        .folders, "",
        "Folders outside of a library's folder in which its documents may be.",
        isPersonal: true)
    case .importLanguages:
      SettingRule(
        .languages, "eng",
        "Languages of imported pictures, by their Tesseract names: eng+deu.")
    case .markdownDialect:
      SettingRule(
        .choice(["auto"] + Self.dialects), "auto",
        "Markdown dialect of documents; auto detects it by folder.")
    case .markdownFolders:
      SettingRule(
        .choices(of: ["auto"] + Self.dialects), "",
        "Markdown dialects of folders, including their subfolders: notes=obsidian:site/docs=mkdocs."
      )
    case .editor:
      SettingRule(
        .program(mayBeEmpty: false), "vi", "Editor for notes and for this file.",
        variables: ["VISUAL", "EDITOR"], isPersonal: true)
    case .pager:
      SettingRule(
        .program(mayBeEmpty: true), "less -FIRX", "Pager; empty to disable.",
        variables: ["PAGER"], isPersonal: true)
    }
  }

  /// The names of the Markdown dialects.
  package static let dialects = [
    "github", "commonmark", "obsidian", "mkdocs", "docusaurus", "myst", "pandoc", "jekyll", "mdx",
    "hugo",
  ]

  private static func hook(_ when: String) -> SettingRule {
    SettingRule(
      .program(mayBeEmpty: true), "",
      "Command run when \(when); gets the event as JSON on standard input.",
      isPersonal: true)
  }

  /// The part of the name before the dot, such as `reader`; nil for a name without a dot.
  package var group: String? {
    rawValue.firstIndex(of: ".").map { String(rawValue[..<$0]) }
  }

  /// The environment variable that overrides all files.
  package var variable: String {
    "DIPLE_"
      + String(rawValue.uppercased().map { $0 == "." ? "_" : $0 })
  }
}

/// The values of a setting, its default and its description.
package struct SettingRule: Sendable {
  /// The kinds of values.
  package enum Kind: Hashable, Sendable {
    /// `true` or `false`.
    case flag
    /// An integer in a range.
    case number(ClosedRange<Int>)
    /// One of several words.
    case choice([String])
    /// `reverse`, or a colour as `#RRGGBB`.
    case paint
    /// One of several words, or the path of a TOML file.
    case theme([String])
    /// A command line for the shell.
    case program(mayBeEmpty: Bool)
    /// An absolute path.
    case file
    /// Absolute paths, separated by `:`.
    case folders
    /// Names of languages, separated by `+`.
    case languages
    /// Pairs `FOLDER=WORD` with one of several words, separated by `:`.
    case choices(of: [String])
  }

  /// The kind of values.
  package let kind: Kind
  /// The default value.
  package let fallback: SettingValue
  /// The description, in one sentence.
  package let help: String
  /// Environment variables of other programs with the same meaning, such as `EDITOR`. Files
  /// override them.
  package let variables: [String]
  /// Whether only the user's own file may set it. A library from elsewhere must not choose the
  /// programs that run here, or whom the user trusts.
  package let isPersonal: Bool

  init(
    _ kind: Kind, _ fallback: SettingValue, _ help: String, variables: [String] = [],
    isPersonal: Bool = false
  ) {
    (self.kind, self.fallback, self.help) = (kind, fallback, help)
    (self.variables, self.isPersonal) = (variables, isPersonal)
  }

  /// The allowed values in words, for messages, such as `true or false`.
  package var range: String {
    switch kind {
    case .flag: "true or false"
    case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(let words):
      words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .theme(let words): words.joined(separator: ", ") + " or the path of a .toml file"
    case .paint: "\"reverse\" or a colour as \"#RRGGBB\""
    case .program(let mayBeEmpty): mayBeEmpty ? "a command line, or nothing" : "a command line"
    case .languages: "names of languages with + between them, such as eng+deu"
    case .file: "an absolute path, or nothing"
    case .folders: "absolute paths with : between them, or nothing"
    case .choices(let words):
      "FOLDER=NAME with : between them, or nothing, where NAME is "
        + words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }
  }

  /// The reason why only the user's own file may set it, for messages.
  package var reason: String {
    switch kind {
    case .file, .folders: "decides what is trusted"
    case .theme: "names a file"
    case .program: "names a program"
    default: "concerns this machine and its user"
    }
  }

  /// Returns whether a value is of the right kind and in range.
  package func allows(_ value: SettingValue) -> Bool {
    switch (kind, value) {
    case (.flag, .flag): true
    case (.number(let range), .number(let number)): range.contains(number)
    case (.choice(let words), .text(let word)): words.contains(word)
    case (.theme(let words), .text(let text)):
      words.contains(text) || text.hasSuffix(".toml") && !text.contains(where: \.isNewline)
    case (.paint, .text(let text)): text == "reverse" || Self.isColor(text)
    // A line feed would end the command line.
    case (.program(let mayBeEmpty), .text(let text)):
      (mayBeEmpty || !text.isEmpty) && !text.contains(where: \.isNewline)
    case (.languages, .text(let text)):
      text.split(separator: "+", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      }
    case (.file, .text(let text)):
      (text.isEmpty || text.hasPrefix("/")) && !text.contains(where: \.isNewline)
    case (.folders, .text(let text)):
      text.split(separator: ":", omittingEmptySubsequences: !text.isEmpty ? false : true)
        .allSatisfy { $0.hasPrefix("/") && !$0.contains(where: \.isNewline) }
    case (.choices(let words), .text(let text)):
      text.isEmpty
        || text.split(separator: ":", omittingEmptySubsequences: false).allSatisfy { part in
          let pair = Self.pair(part)
          return !pair.folder.isEmpty && words.contains(pair.word)
            && !part.contains(where: \.isNewline)
        }
    default: false
    }
  }

  /// Splits `FOLDER=WORD` at the last `=`. Both parts are empty if there is no `=`.
  private static func pair(_ text: Substring) -> (folder: String, word: String) {
    guard let sign = text.lastIndex(of: "=") else { return ("", "") }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  /// Returns the pairs of a valid value of the kind `choices`, in their order.
  package static func pairs(in text: String) -> [(folder: String, word: String)] {
    text.split(separator: ":").map(pair)
  }

  /// Parses a value as typed by the user or stored in a variable; nil if it isn't valid.
  package func value(_ word: String) -> SettingValue? {
    let value: SettingValue?
    switch kind {
    case .flag: value = ["true": .flag(true), "false": .flag(false)][word]
    case .number: value = Int(word).map(SettingValue.number)
    case .choice, .paint, .theme, .program, .file, .folders, .choices, .languages:
      value = .text(word)
    }
    return value.flatMap { allows($0) ? $0 : nil }
  }

  private static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy(\.isHexDigit)
  }
}

/// The value of a setting.
package enum SettingValue: Hashable, Sendable, Encodable, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, CustomStringConvertible
{
  case flag(Bool)
  case number(Int)
  case text(String)

  /// Stores a flag.
  package init(booleanLiteral value: Bool) { self = .flag(value) }
  /// Stores a number.
  package init(integerLiteral value: Int) { self = .number(value) }
  /// Stores a text.
  package init(stringLiteral value: String) { self = .text(value) }

  /// Encodes the flag, number or text without a wrapper.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }

  /// The value as a user types it.
  package var description: String {
    switch self {
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .text(let text): text
    }
  }

  /// The value in TOML, on one line.
  package var toml: String {
    guard case .text(let text) = self else { return description }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
