package import ArgumentParser
import DaemonKit
package import MarkdownParse
package import Model
package import SystemSupport
import Workspace

/// What every command takes.
package struct GlobalOptions: ParsableArguments {
  package init() {}

  @Option(
    name: .long,
    help: ArgumentHelp("Folder of the library.", valueName: "dir"), completion: .directory)
  package var library: String?

  @Flag(name: .long, help: "Write JSON, with the name of its schema.")
  package var json = false

  @Flag(
    name: .customLong("no-daemon"), help: "Check the files even when a daemon runs.")
  package var noDaemon = false
}

extension GlobalOptions {
  /// Nothing is said.
  package static var none: GlobalOptions {
    var options = GlobalOptions()
    (options.library, options.json, options.noDaemon) = (nil, false, false)
    return options
  }
}

/// What every command takes that changes something.
package struct WriteOptions: ParsableArguments {
  package init() {}

  @Flag(name: [.customShort("n"), .long], help: "Show what would be done, without doing it.")
  package var dryRun = false
}

/// Whether a command may bring a file into the library.
package struct AddOptions: ParsableArguments {
  package init() {}

  @Flag(name: .customLong("add"), help: "Add the file first when it is not in the library.")
  package var adds = false
}

/// How a command draws text.
package struct DrawOptions: ParsableArguments {
  package init() {}

  /// When colours are used.
  package enum Choice: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

  @Option(name: .customLong("color"), help: "When to use colours.")
  package var choice = Choice.auto

  @Flag(name: .customLong("no-color"), help: "Same as --color never.")
  package var noColor = false

  @Option(help: "Wrap at N columns.")
  package var width: Int?

  @Option(help: "Colours; auto and high-contrast fit the terminal's background.")
  package var theme: Theme?

  @Flag(
    inversion: .prefixedNo, help: "Hide the first heading when it is the document's title.")
  package var hideTitle: Bool?

  /// The themes that come with Diple; the setting `theme.name` also takes a file.
  package enum Theme: String, CaseIterable, ExpressibleByArgument {
    case auto, light, dark
    case highContrast = "high-contrast"
  }

  /// Nothing is said.
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

/// The width alone, for commands whose `--color` means a highlight's.
package struct WidthOptions: ParsableArguments {
  package init() {}

  @Option(help: "Wrap at N columns.") package var width: Int?
}

/// The dialect of a text that is in no library.
package struct DialectOptions: ParsableArguments {
  package init() {}

  @Option(
    help: "Dialect of a file in no library, or of standard input; found by folder when omitted.")
  package var dialect: MarkdownDialect?
}

extension MarkdownDialect: ExpressibleByArgument {}

extension UserError {
  /// Refuses a dialect for a document whose highlights depend on the one it is in.
  package static func dialectOfDocument(_ document: Document) -> UserError {
    UserError(
      .usage, "--dialect is for files in no library; \(document.path.string) is in one",
      hint: "set its dialect with the settings markdown.dialect or markdown.folders")
  }
}
