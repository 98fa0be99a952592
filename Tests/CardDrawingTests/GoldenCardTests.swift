import CPango
import CardDrawing
import CardStrategies
import Foundation
import Interchange
import Model
import Testing

/// Compares cards with reviewed ones.
///
/// A golden card is a grid of colours. It is coarse enough to allow other versions of a font or of
/// Pango, and fine enough to detect a missing line, a misplaced highlight or another colour.
/// `DIPLE_UPDATE_GOLDEN=1` rewrites the grids and writes pictures to `DIPLE_GOLDEN_PICTURES`.
/// Review the pictures before you commit the grids.
@Suite struct GoldenCardTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("golden-cards.txt")
  private static let side = 24

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var quote: String
    var title: String
    var author: String
    var theme: String
    var size: CardForm.Size
    var color: HighlightColor
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "paper",
      quote: "A woman must have money and a room of her own if she is to write fiction.",
      title: "A Room of One’s Own", author: "Virginia Woolf", theme: "paper", size: .square,
      color: .yellow),
    Case(
      name: "tint", quote: "The sea is everything. It covers seven tenths of the globe.",
      title: "Twenty Thousand Leagues", author: "Jules Verne", theme: "tint", size: .square,
      color: .blue),
    Case(
      name: "bold", quote: "Less is more.", title: "Andrea del Sarto", author: "Robert Browning",
      theme: "bold", size: .portrait, color: .pink),
    Case(
      name: "night-cjk", quote: "吾輩は猫である。名前はまだ無い。Where I was born I have no idea.",
      title: "吾輩は猫である", author: "夏目漱石", theme: "night", size: .portrait, color: .green),
    Case(
      name: "clean-arabic", quote: "الكتاب خير جليس في الزمان", title: "ديوان", author: "المتنبي",
      theme: "clean", size: .wide, color: .blue),
    Case(
      name: "sepia-emoji", quote: "We like it 😀👩‍👩‍👧, and the flag 🇫🇮 too.\nA second paragraph.",
      title: "Signs", author: "", theme: "sepia", size: .story, color: .pink),
    Case(
      name: "paper-long", quote: String(repeating: "Signs are taken for wonders. ", count: 14),
      title: String(repeating: "A very long title ", count: 9), author: "Ann Lee and Bo Ek",
      theme: "paper", size: .square, color: .green),
  ]

  /// Returns the average colour of each cell of a picture, three numbers each.
  private static func grid(of png: [UInt8]) throws -> [UInt8] {
    let path = NSTemporaryDirectory() + "/diple-golden-\(UUID().uuidString).png"
    try Data(png).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    let surface = try #require(cairo_image_surface_create_from_png(path))
    defer { cairo_surface_destroy(surface) }
    try #require(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
    let (width, height) = (
      Int(cairo_image_surface_get_width(surface)), Int(cairo_image_surface_get_height(surface))
    )
    let stride = Int(cairo_image_surface_get_stride(surface))
    let pixels = try #require(cairo_image_surface_get_data(surface))
    var cells: [UInt8] = []
    for row in 0..<side {
      for column in 0..<side {
        var sum = [0, 0, 0]
        let rows = row * height / side..<(row + 1) * height / side
        let columns = column * width / side..<(column + 1) * width / side
        for y in rows {
          for x in columns {
            for part in 0..<3 { sum[part] += Int(pixels[y * stride + x * 4 + part]) }
          }
        }
        cells += sum.map { UInt8($0 / (rows.count * columns.count)) }
      }
    }
    return cells
  }

  private static func draw(_ card: Case) throws -> [UInt8] {
    var quote = AnnotationRecord(
      id: "1", quote: card.quote, source: "", title: card.title, color: card.color, created: .now,
      updated: .now)
    quote.author = card.author
    let theme = try #require(CardTheme.builtIn.first { $0.id == card.theme }).theme
    let order = CardOrder(quote, in: theme, as: CardForm(size: card.size, format: .png))
    return try #require(try CardDrawing(order).cards().files.first)
  }

  private static func goldens() throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, !line.hasPrefix("#") else { continue }
      let digits = Array(parts[1].utf8)
      found[String(parts[0]), default: []] += stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
      }
    }
    return found
  }

  /// Returns the average and the largest difference of two grids, from 0 to 255.
  private static func difference(_ a: [UInt8], _ b: [UInt8]) -> (mean: Double, worst: Int) {
    let cells = zip(a, b).map { abs(Int($0) - Int($1)) }
    return (Double(cells.reduce(0, +)) / Double(max(1, cells.count)), cells.max() ?? 255)
  }

  @Test(arguments: cases)
  func `a card equals its golden card`(_ card: Case) throws {
    let environment = ProcessInfo.processInfo.environment
    guard environment["DIPLE_UPDATE_GOLDEN"] == nil else { return }
    let golden = try #require(
      try Self.goldens()[card.name], "\(Self.file.path) has no \(card.name)")
    let found = try Self.grid(of: Self.draw(card))
    #expect(found.count == golden.count)
    let (mean, worst) = Self.difference(golden, found)
    #expect(mean < 4 && worst < 110, "\(card.name): mean \(mean), worst \(worst)")
  }

  @Test func `a changed card differs from its golden card`() throws {
    let card = Self.cases[0]
    let golden = try Self.grid(of: Self.draw(card))
    func mean(_ change: (inout Case) -> Void) throws -> Double {
      var other = card
      change(&other)
      return Self.difference(golden, try Self.grid(of: Self.draw(other))).mean
    }
    // The colour is in a bar only, or in the whole card.
    #expect(try mean { $0.color = .blue } > 0.2)
    #expect(try mean { ($0.theme, $0.color) = ("tint", .blue) } >= 4)
    #expect(try mean { $0.quote = "A woman must have money." } >= 4)
    #expect(try mean { $0.theme = "night" } >= 4)
    #expect(try mean { $0.title = "" } > 0.5)
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["DIPLE_UPDATE_GOLDEN"] != nil))
  func `the golden cards are rewritten`() throws {
    var text =
      "# Mean colours of \(Self.side) x \(Self.side) cells, blue green red; see GoldenCardTests.\n"
    for card in Self.cases {
      let png = try Self.draw(card)
      if let folder = ProcessInfo.processInfo.environment["DIPLE_GOLDEN_PICTURES"] {
        try Data(png).write(to: URL(fileURLWithPath: "\(folder)/\(card.name).png"))
      }
      let grid = try Self.grid(of: png)
      for row in 0..<Self.side {
        let cells = grid[row * Self.side * 3..<(row + 1) * Self.side * 3]
        text +=
          card.name + " " + cells.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          + "\n"
      }
    }
    try text.write(to: Self.file, atomically: true, encoding: .utf8)
  }
}
