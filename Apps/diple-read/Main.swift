import CMalloc
import Commands
import Glibc
import Reader
import Rendering

/// The full-screen reader. `diple read` starts it.
@main
enum Main {
  static func main() async {
    // What the parser needs only for a while goes back to the system, however large the text is.
    mallopt(M_ARENA_MAX, 1)
    mallopt(M_MMAP_THRESHOLD, 256 << 10)
    signal(SIGPIPE, SIG_IGN)
    var words = Words()
    do { try words.take(CommandLine.arguments.dropFirst()) } catch {
      refuse(error.description, code: 2)
    }
    guard isatty(0) == 1, isatty(1) == 1 else { refuse("this needs a terminal", code: 2) }
    let environment = Session.standard().environment
    guard !["", "dumb"].contains(environment["TERM"] ?? "") else {
      refuse("this terminal cannot place text; `diple show` prints the page", code: 2)
    }
    do {
      let desk = try await Desk(
        environment, doc: words.doc ?? "", library: words.library, look: words.look,
        columns: FullScreen.size.columns, rows: FullScreen.size.rows)
      let screen = FullScreen(hasMouse: desk.reader.hasMouse)
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
struct Words {
  var doc: String?
  var library: String?
  var look = ReaderLook()

  /// Why the words cannot be taken.
  struct Problem: Error {
    var description: String
  }

  mutating func take(_ words: some Collection<String>) throws(Problem) {
    var words = Array(words)[...]
    while let word = words.popFirst() {
      switch word {
      case "--library": library = try value(word, &words)
      case "--theme":
        let theme = try value(word, &words)
        guard ["auto", "light", "dark"].contains(theme) else {
          throw Problem(description: "--theme takes auto, light or dark")
        }
        look.theme = theme
      case "--color":
        guard let choice = ColorMode.Choice(rawValue: try value(word, &words)) else {
          throw Problem(description: "--color takes auto, always or never")
        }
        look.color = choice
      case "--hide-title": look.hidesTitle = true
      case "--no-hide-title": look.hidesTitle = false
      case "--width":
        guard let number = Int(try value(word, &words)), number >= 20 else {
          throw Problem(description: "--width takes columns, at least 20")
        }
        look.width = number
      case "-h", "--help":
        print(
          """
          usage: diple-read [--library DIR] [--theme auto|light|dark] [--color WHEN] [--width N]
                            [--hide-title] DOC
          """)
        exit(0)
      case "--": doc = words.popFirst() ?? doc
      default:
        guard !word.hasPrefix("-") else { throw Problem(description: "'\(word)' is no option") }
        doc = word
      }
    }
    guard doc != nil else { throw Problem(description: "no document is named") }
  }

  private func value(_ option: String, _ words: inout ArraySlice<String>) throws(Problem) -> String
  {
    guard let value = words.popFirst() else {
      throw Problem(description: "\(option) takes a value")
    }
    return value
  }
}
