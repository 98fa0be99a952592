import ArgumentParser
import Model
import Workspace

/// What every command takes.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The library's folder.", valueName: "dir"), completion: .directory)
  var library: String?

  @Flag(name: .long, help: "Write JSON with a named schema.")
  var json = false

  @Flag(name: .customLong("no-daemon"), help: "Look at the files even if a daemon keeps watch.")
  var noDaemon = false
}

extension GlobalOptions {
  /// Nothing is said.
  static var none: GlobalOptions {
    var options = GlobalOptions()
    (options.library, options.json, options.noDaemon) = (nil, false, false)
    return options
  }
}

/// What every command takes that changes something.
struct WriteOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and do nothing.")
  var dryRun = false
}

/// How a command draws text.
struct DrawOptions: ParsableArguments {
  /// When colours are used.
  enum Choice: String, CaseIterable, ExpressibleByArgument { case auto, always, never }

  @Option(name: .customLong("color"), help: "Colours: auto, always or never.")
  var choice = Choice.auto

  @Flag(name: .customLong("no-color"), help: "The same as --color never.")
  var noColor = false

  @Option(help: "Wrap at this many columns.")
  var width: Int?

  @Option(help: "Colours for a light or a dark background; auto goes by COLORFGBG.")
  var theme: Background?

  @Flag(
    inversion: .prefixedNo, help: "Leave the first heading out when it is the document's title.")
  var hideTitle: Bool?

  /// Which background the colours are for.
  enum Background: String, CaseIterable, ExpressibleByArgument { case auto, light, dark }

  /// Nothing is said.
  static var none: DrawOptions {
    var options = DrawOptions()
    (options.choice, options.noColor, options.width) = (.auto, false, nil)
    (options.theme, options.hideTitle) = (nil, nil)
    return options
  }

  func validate() throws {
    if let width, !(20...10_000).contains(width) {
      throw ValidationError("--width takes 20 to 10000 columns, not \(width)")
    }
  }
}
