import DaemonKit
import Glibc
import SystemSupport
import Workspace

extension Terminal {
  /// Writes a page: through the pager when a person reads it in a terminal and it is longer than
  /// the screen.
  ///
  /// - Parameter pager: the command line; an empty one means none.
  package func page(_ text: String, through pager: String, never: Bool, always: Bool) throws {
    guard pages(text, through: pager, never: never, always: always) else {
      output.write(text)
      return
    }
    output.drain()
    errors.flush()
    if ShellCommand(pager).run(input: text) == 127 { output.write(text) }
  }

  /// Whether a page goes through the pager.
  ///
  /// - Parameters: as for `page`.
  package func pages(_ text: String, through pager: String, never: Bool, always: Bool) -> Bool {
    let isWanted = always || (output.isTerminal && isLongerThanScreen(text))
    return isWanted && !never && allowsPrompts && !pager.isEmpty && pager != "cat"
  }

  private func isLongerThanScreen(_ text: String) -> Bool {
    var size = winsize()
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return false
    }
    return text.utf8.count { $0 == 10 } >= Int(size.ws_row)
  }
}
