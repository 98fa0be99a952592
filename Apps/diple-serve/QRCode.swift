import CQREncode
import Rendering

/// A text as a QR code, for a terminal.
struct QRCode {
  /// Rows of modules; true is dark.
  let modules: [[Bool]]

  /// The code of a text; nil where it is too long.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = (0..<width).map { row in
      // The lowest bit says whether a module is dark.
      (0..<width).map { data[row * width + $0] & 1 == 1 }
    }
  }

  /// The empty modules around the code, without which no camera finds it.
  private static let margin = 4

  /// How many columns its lines have.
  var width: Int { modules.count + 2 * Self.margin }

  /// The lines, each of two rows of modules in half blocks.
  ///
  /// - Parameter colors: those of the terminal. With some the code is dark on light, whatever the
  ///   terminal's own are; without them light modules are drawn, as is right on a dark terminal.
  func lines(_ colors: ColorMode) -> [String] {
    let hasColors = colors != .none
    let paper = colors == .ansi16 ? "30;47" : "38;5;16;48;5;231"
    func isDark(_ row: Int, _ column: Int) -> Bool {
      let (row, column) = (row - Self.margin, column - Self.margin)
      return modules.indices.contains(row) && modules.indices.contains(column)
        && modules[row][column]
    }
    return stride(from: 0, to: width, by: 2).map { row in
      let line = (0..<width).map { column in
        // The last line of an odd number of rows has one more of the margin.
        let (upper, lower) = (isDark(row, column), isDark(row + 1, column))
        switch (upper == hasColors, lower == hasColors) {
        case (true, true): return "█"
        case (true, false): return "▀"
        case (false, true): return "▄"
        case (false, false): return " "
        }
      }.joined()
      return hasColors ? "\u{1B}[\(paper)m\(line)\u{1B}[0m" : line
    }
  }
}
