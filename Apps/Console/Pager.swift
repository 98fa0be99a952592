import DaemonKit
import Glibc
import SystemSupport
import Workspace

extension Terminal {
  /// Prints a text. Uses the pager if the output is a terminal and the text is longer than the
  /// screen.
  ///
  /// - Parameters:
  ///   - pager: The command line of the pager. If it is empty or `cat`, the text is printed
  ///     directly.
  ///   - never: Whether to print directly in any case.
  ///   - always: Whether to use the pager for a short text and without a terminal too.
  package func page(_ text: String, through pager: String, never: Bool, always: Bool) throws {
    guard pages(text, through: pager, never: never, always: always) else {
      output.write(text)
      return
    }
    output.drain()
    errors.flush()
    if ShellCommand(pager).run(input: text) == 127 { output.write(text) }
  }

  /// Returns whether ``page(_:through:never:always:)`` uses the pager. The parameters are the same.
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
