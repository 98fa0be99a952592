import Foundation
import Rendering
import TestSupport
import Testing

/// Compares widths with the tables of the Python package wcwidth.
@Suite struct WidthOracleTests {
  /// The folder in which `Tooling/test` installs the package if the system has none.
  private static let packages = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".cache/python")
    .path

  /// Returns the output of a script, or nil if it fails.
  private static func python(_ script: String) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    var environment = ProcessInfo.processInfo.environment
    environment["PYTHONPATH"] = packages
    environment["PYTHONIOENCODING"] = "utf-8"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    return (try? process.end()) == 0 ? String(decoding: data, as: UTF8.self) : nil
  }

  private static let isThere =
    python("import wcwidth; assert wcwidth.__version__ == '0.7.0'") != nil

  /// Graphemes of every script and kind, each with its width: single letters, letters with marks,
  /// syllables, symbols, and emoji of one scalar, with selectors, with skin tones, joined, and
  /// flags.
  private static let script = """
    import unicodedata, wcwidth
    old = lambda c: unicodedata.category(c) not in ('Cn', 'Cs', 'Co', 'Cc', 'Zl', 'Zp', 'Cf')
    seen = []
    for start, end, step in [(0x20, 0x250, 1), (0x370, 0x600, 1), (0x900, 0x1100, 3),
        (0x1100, 0x1200, 5), (0x1E00, 0x2000, 2), (0x2010, 0x2028, 1), (0x2030, 0x2060, 1),
        (0x20A0, 0x2C00, 2), (0x2E80, 0x3400, 1), (0x4E00, 0xA000, 37), (0xAC00, 0xD7A4, 29),
        (0xF900, 0xFB00, 7), (0xFF01, 0xFFE7, 1), (0x10400, 0x10450, 1), (0x1D400, 0x1D800, 9),
        (0x1F300, 0x1F650, 1), (0x1F680, 0x1F700, 1), (0x1F900, 0x1FA00, 1), (0x20000, 0x2A000, 401)]:
      for code in range(start, end, step):
        c = chr(code)
        if old(c) and not unicodedata.category(c).startswith('M'): seen.append(c)
    for base in 'aeiouAEIOUnxyz':
      for mark in range(0x300, 0x340): seen.append(base + chr(mark))
    people = [0x1F44B, 0x1F44D, 0x1F466, 0x1F469, 0x1F468, 0x1F9D1, 0x270B]
    for p in people:
      for tone in range(0x1F3FB, 0x1F400): seen.append(chr(p) + chr(tone))
    for a in (0x1F468, 0x1F469):
      for b in (0x1F4BB, 0x1F33E, 0x1F373, 0x1F393, 0x1F680, 0x1F692): seen.append(chr(a) + '\\u200d' + chr(b))
    seen += ['👨‍👩‍👧‍👦', '🏴‍☠️', '🏳️‍🌈', '❤️', '☺️', '⚠️', '✂️', '☎️']
    for a in range(26):
      for b in range(0, 26, 3): seen.append(chr(0x1F1E6 + a) + chr(0x1F1E6 + b))
    for g in seen: print(wcwidth.wcswidth(g), g)
    """

  @Test(.enabled(if: isThere, "wcwidth 0.7.0 is not installed"))
  func `graphemes of every kind have the width of wcwidth 0.7.0`() throws {
    let lines = try #require(Self.python(Self.script)).split(separator: "\n")
    var wrong: [String] = []
    var count = 0
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].count == 1, let width = Int(parts[0]) else { continue }
      count += 1
      let own = displayWidth(of: parts[1])
      if own != width {
        let codes = parts[1].unicodeScalars.map { String($0.value, radix: 16) }
        wrong.append("\(parts[1]) \(codes): \(own), wcwidth \(width)")
      }
    }
    #expect(count >= 5_000, "\(count) of \(lines.count) are graphemes")
    #expect(wrong.isEmpty, "\(wrong.count) of \(count): \(wrong.prefix(40))")
  }
}
