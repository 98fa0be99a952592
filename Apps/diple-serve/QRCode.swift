import CQREncode
import Rendering

/// A QR code for display in a terminal.
///
/// ```swift
/// if let code = QRCode("http://192.168.1.20:3475/") {
///   for line in code.lines(.xterm256) { print(line) }
/// }
/// ```
struct QRCode {
  /// The rows of modules; true is dark.
  let modules: [[Bool]]

  /// Encodes a text. Returns nil if it is too long.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = (0..<width).map { row in
      // The lowest bit is set for a dark module.
      (0..<width).map { data[row * width + $0] & 1 == 1 }
    }
  }

  /// The empty modules around the code, without which scanners don't recognise it.
  private static let margin = 4

  /// The width of the lines in columns.
  var width: Int { modules.count + 2 * Self.margin }

  /// Returns the lines of the code. Each contains two rows of modules, drawn with half blocks.
  ///
  /// - Parameter colors: the terminal's colours. If it has any, the code is dark on light,
  ///   independent of the terminal's theme. Otherwise the light modules are drawn, which is correct
  ///   on a dark background.
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
        // If the number of rows is odd, the last line has an additional row of margin.
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
