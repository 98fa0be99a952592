package import ArgumentParser
import DaemonKit
package import MarkdownParse
package import Model
package import SystemSupport
import Workspace

/// The options of every command.
package struct GlobalOptions: ParsableArguments {
  package init() {}

  @Option(
    name: .long,
    help: ArgumentHelp("Folder of the library.", valueName: "dir"), completion: .directory)
  package var library: String?

  @Flag(name: .long, help: "Write JSON, with the name of its schema.")
  package var json = false

  @Flag(
    name: .customLong("no-daemon"), help: "Check the files for changes even if a daemon runs.")
  package var noDaemon = false
}

extension GlobalOptions {
  /// The options of a command line that sets none of them.
  package static var none: GlobalOptions {
    var options = GlobalOptions()
    (options.library, options.json, options.noDaemon) = (nil, false, false)
    return options
  }
}

/// The options of every command that writes.
package struct WriteOptions: ParsableArguments {
  package init() {}

  @Flag(name: [.customShort("n"), .long], help: "Show what would be done, without doing it.")
  package var dryRun = false
}

/// The option of commands that can add a file to the library.
package struct AddOptions: ParsableArguments {
  package init() {}

  @Flag(name: .customLong("add"), help: "Add the file first if it is not in the library.")
  package var adds = false
}

/// The options of commands that render text.
package struct DrawOptions: ParsableArguments {
  package init() {}

  /// When to use colours: `auto` uses them if the output is a terminal.
  package enum Choice: String, OptionChoice { case auto, always, never }

  @Option(name: .customLong("color"), help: "When to use colours.")
  package var choice = Choice.auto

  @Flag(name: .customLong("no-color"), help: "Same as --color never.")
  package var noColor = false

  @Option(help: "Wrap at N columns.")
  package var width: Int?

  @Option(help: "Colours; auto and high-contrast fit the terminal's background.")
  package var theme: BuiltInTheme?

  @Flag(
    inversion: .prefixedNo, help: "Hide the first heading when it is the document's title.")
  package var hideTitle: Bool?

  /// The built-in themes. The setting `theme.name` also accepts the path of a file.
  package enum BuiltInTheme: String, OptionChoice {
    case auto, light, dark
    case highContrast = "high-contrast"
  }

  /// The options of a command line that sets none of them.
  package static var none: DrawOptions {
    var options = DrawOptions()
    (options.choice, options.noColor, options.width) = (.auto, false, nil)
    (options.theme, options.hideTitle) = (nil, nil)
    return options
  }

  package func validate() throws {
    if let width, !(20...10_000).contains(width) {
      throw ValidationError("--width takes 20 to 10000 columns, not \(width)")
    }
  }
}

/// The option for the width, in commands whose `--color` is the colour of a highlight.
package struct WidthOptions: ParsableArguments {
  package init() {}

  @Option(help: "Wrap at N columns.") package var width: Int?
}

/// The option for the dialect of a text outside the library.
package struct DialectOptions: ParsableArguments {
  package init() {}

  @Option(
    help: "Dialect of a file outside the library, or of standard input; the folder's when omitted.")
  package var dialect: MarkdownDialect?
}

extension MarkdownDialect: OptionChoice {}

extension UserError {
  /// Returns the error for `--dialect` with a document of the library. Its highlights depend on the
  /// dialect in its settings.
  package static func dialectOfDocument(_ document: Document) -> UserError {
    UserError(
      .usage,
      "--dialect is only for files outside the library; \(document.shownPath) is in the library",
      hint: "set its dialect with the settings markdown.dialect or markdown.folders")
  }
}
