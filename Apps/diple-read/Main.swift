import Commands
import Glibc
import Reader
import Rendering

/// The full-screen reader. `diple read` starts it.
@main
enum Main {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    var settings = Settings()
    do { try settings.take(CommandLine.arguments.dropFirst()) } catch {
      refuse(error.description, code: 2)
    }
    guard isatty(0) == 1, isatty(1) == 1 else { refuse("this needs a terminal", code: 2) }
    let environment = Session.standard().environment
    guard !["", "dumb"].contains(environment["TERM"] ?? "") else {
      refuse("this terminal cannot place text; `diple show` prints the page", code: 2)
    }
    let screen = FullScreen()
    do {
      let desk = try await Desk(
        environment, doc: settings.doc ?? "", library: settings.library,
        options: settings.options(environment), columns: screen.size.columns,
        rows: screen.size.rows)
      let code = await ReadingLoop(desk, screen).run()
      screen.leave()
      exit(code)
    } catch {
      exit(Diple.refuse(error))
    }
  }

  private static func refuse(_ reason: String, code: Int32) -> Never {
    Output.standardError.line("diple-read: \(reason)")
    Output.standardError.flush()
    exit(code)
  }
}

/// What the words after the program's name say.
struct Settings {
  var doc: String?
  var library: String?
  var theme = "light"
  var color = "auto"
  var width: Int?

  /// Why the words cannot be taken.
  struct Problem: Error {
    var description: String
  }

  mutating func take(_ words: some Collection<String>) throws(Problem) {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      switch word {
      case "--library": library = try value(word, &words)
      case "--theme": theme = try value(word, &words)
      case "--color": color = try value(word, &words)
      case "--width":
        guard let number = Int(try value(word, &words)), number >= 20 else {
          throw Problem(description: "--width takes columns, at least 20")
        }
        width = number
      case "-h", "--help":
        print(
          "usage: diple-read [--library DIR] [--theme light|dark] [--color WHEN] [--width N] DOC")
        exit(0)
      case "--": doc = words.popFirst() ?? doc
      default:
        guard !word.hasPrefix("-") else { throw Problem(description: "'\(word)' is no option") }
        doc = word
      }
    }
    guard doc != nil else { throw Problem(description: "no document is named") }
  }

  /// How the text is drawn.
  func options(_ environment: [String: String]) -> Reader.Options {
    let color = ColorMode.detect(
      environment: environment, isTerminal: true, choice: ColorMode.Choice(rawValue: color) ?? .auto
    )
    return Reader.Options(
      color: color, theme: Theme(rawValue: theme) ?? .light, width: width ?? 100)
  }

  private func value(_ option: String, _ words: inout ArraySlice<String>) throws(Problem) -> String
  {
    guard let value = words.popFirst() else {
      throw Problem(description: "\(option) takes a value")
    }
    return value
  }
}
