import DaemonKit
import Glibc
import Rendering
import SystemSupport
import Workspace

extension Terminal {
  /// Prints a text. Uses the pager if the output is a terminal and the text is longer than the
  /// screen.
  ///
  /// - Parameters:
  ///   - pager: the command line; an empty one means none.
  ///   - hasPictures: whether the page has sequences that draw pictures.
  package func page(
    _ text: String, through pager: String, never: Bool, always: Bool, hasPictures: Bool = false
  ) {
    func write() { hasPictures ? output.write(sequences: text) : output.write(text) }
    guard pages(text, through: pager, never: never, always: always) else { return write() }
    output.drain()
    errors.flush()
    var page = text
    let bytes = page.withUTF8 { TerminalFilter.filtered($0) }
    if ShellCommand(pager).run(input: String(decoding: bytes, as: UTF8.self)) == 127 { write() }
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
