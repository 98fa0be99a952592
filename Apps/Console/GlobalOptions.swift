package import ArgumentParser
import DaemonKit
import Model
import SystemSupport
import Workspace

/// What every command takes.
package struct GlobalOptions: ParsableArguments {
  package init() {}

  @Option(
    name: .long,
    help: ArgumentHelp("The library's folder.", valueName: "dir"), completion: .directory)
  package var library: String?

  @Flag(name: .long, help: "Write JSON with a named schema.")
  package var json = false

  @Flag(
    name: .customLong("no-daemon"), help: "Look at the files even if a daemon keeps watch.")
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

  @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and do nothing.")
  package var dryRun = false
}

/// How a command draws text.
package struct DrawOptions: ParsableArguments {
  package init() {}

  /// When colours are used.
  package enum Choice: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

  @Option(name: .customLong("color"), help: "Colours: auto, always or never.")
  package var choice = Choice.auto

  @Flag(name: .customLong("no-color"), help: "The same as --color never.")
  package var noColor = false

  @Option(help: "Wrap at this many columns.")
  package var width: Int?

  @Option(help: "Colours for a light or a dark background; auto goes by COLORFGBG.")
  package var theme: Background?

  @Flag(
    inversion: .prefixedNo, help: "Leave the first heading out when it is the document's title.")
  package var hideTitle: Bool?

  /// Which background the colours are for.
  package enum Background: String, CaseIterable, ExpressibleByArgument { case auto, light, dark }

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

  @Option(help: "Wrap at this many columns.") package var width: Int?
}
