import MarkdownParse
import Model
import TestSupport
import Testing

@testable import Rendering

struct PictureTests {
  /// Returns a PNG file of a size, with no data between header and end.
  static func png(_ width: Int, _ height: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    let head = number(13) + Array("IHDR".utf8) + number(width) + number(height) + [8, 6, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + head + [0, 0, 0, 0]
      + number(4) + Array("IDAT".utf8) + [1, 2, 3, 4] + [0, 0, 0, 0]
      + number(0) + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
  }

  private static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8, 0, 120, 0, 160, 1, 1, 0x11, 0]
    + [0xFF, 0xDA, 0, 2, 9, 9, 0xFF, 0xD9]
  private static let gif = Array("GIF89a".utf8) + [10, 0, 20, 0, 0, 0, 0, 0x3B]

  @Test func `the size of a picture is read from its header`() {
    let png = Picture(Self.png(640, 480))
    #expect(png?.format == .png && png?.width == 640 && png?.height == 480)
    let jpeg = Picture(Self.jpeg)
    #expect(jpeg?.format == .jpeg && jpeg?.width == 160 && jpeg?.height == 120)
    let gif = Picture(Self.gif)
    #expect(gif?.format == .gif && gif?.width == 10 && gif?.height == 20)
  }

  @Test func `a truncated, too large or unknown picture is nil`() {
    for whole in [Self.png(64, 48), Self.jpeg, Self.gif] {
      for length in 0..<whole.count - 4 { #expect(Picture(Array(whole.prefix(length))) == nil) }
    }
    for (width, height) in [
      (0, 10), (10, 0), (100_000, 100_000), (0xFFFF_FFFF, 0xFFFF_FFFF), (40_000_001, 1),
    ] { #expect(Picture(Self.png(width, height)) == nil, "\(width) × \(height)") }
    #expect(Picture(Self.png(40_000_000, 1)) != nil)
    #expect(Picture(Array("<svg onload='x'/>".utf8)) == nil)
    #expect(Picture([]) == nil)
    #expect(Picture(Self.png(1, 1) + [UInt8](repeating: 0, count: Picture.longest)) == nil)
    // A chunk that is longer than the file, and segments with invalid lengths.
    var long = Self.png(64, 48)
    long[33] = 0xFF
    #expect(Picture(long) == nil)
    #expect(Picture([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 1_000_000) + [0xD9]) == nil)
  }

  @Test func `random bytes after a valid beginning never crash`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    for start in [Self.png(64, 48), Self.jpeg, Self.gif] {
      for _ in 0..<2_000 {
        var bytes = start
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          bytes[Int.random(in: 2..<bytes.count, using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
        if let picture = Picture(bytes) {
          #expect(picture.width * picture.height <= Picture.mostPixels, "\(seed): \(bytes)")
        }
      }
    }
  }

  private func show(_ imageProtocol: PictureShow.ImageProtocol, _ files: [String: [UInt8]])
    -> PictureShow
  {
    PictureShow(imageProtocol, cell: (10, 20), mostRows: 12, first: 7) {
      files[$0].flatMap(Picture.init)
    }
  }

  private func written(_ markdown: String, _ pictures: PictureShow?, color: ColorMode = .trueColor)
    -> String
  {
    let document = ParsedDocument(parsing: MarkdownSource(markdown))
    var options = PageOptions(width: 40, color: color)
    options.pictures = pictures
    let writer = ANSIWriter(options)
    var text = ""
    for line in PageLayout.lines(of: Page(document: document, options: options)) {
      writer.write(line, to: &text)
    }
    return text
  }

  @Test func `kitty receives a picture once, its placement, and cells with its id`() {
    let bytes = Self.png(100, 40)
    for color in [ColorMode.none, .trueColor] {
      let text = written("a\n\n![two](b.png)\n\nc\n", show(.kitty, ["b.png": bytes]), color: color)
      let id = 7 << 8 | 1
      let letters = Base64.encoded(bytes)
      #expect(text.contains("\u{1B}_Ga=t,f=100,t=d,i=\(id),q=2,m=0;\(letters)\u{1B}\\"))
      #expect(text.contains("\u{1B}_Ga=p,U=1,i=\(id),p=1,c=10,r=2,q=2\u{1B}\\"))
      let cells = text.unicodeScalars.count { $0 == "\u{10EEEE}" }
      #expect(cells == 20, "\(cells)")
      #expect(text.contains("\u{1B}[0;38;2;0;7;1m\u{10EEEE}\u{305}\u{305}\u{10EEEE}\u{305}\u{30D}"))
      #expect(text.contains("\u{10EEEE}\u{30D}\u{305}"))
      #expect(text.contains("image: "), "its description stays")
    }
  }

  @Test func `a long file is sent to kitty in pieces`() {
    var bytes = Self.png(100, 40)
    bytes += [UInt8](repeating: 7, count: 10_000)
    let text = written("![two](b.png)\n", show(.kitty, ["b.png": bytes]))
    let pieces = text.split(separator: "\u{1B}_G").filter { $0.contains("m=") }
    #expect(pieces.count == 4)
    #expect(pieces.dropLast().allSatisfy { $0.contains("m=1;") })
    #expect(pieces.last?.contains("m=0;") == true)
    #expect(pieces.allSatisfy { $0.utf8.count < 4_096 + 60 })
  }

  @Test func `iTerm2 draws a picture upwards from its last row`() {
    let bytes = Self.jpeg
    let text = written("![two](b.jpg)\n", show(.iTerm, ["b.jpg": bytes]))
    #expect(
      text.contains(
        "\u{1B}7\u{1B}[5A\u{1B}]1337;File=inline=1;size=\(bytes.count);width=16;height=6;"
          + "preserveAspectRatio=1;doNotMoveCursor=1:\(Base64.encoded(bytes))\u{7}\u{1B}8"),
      "\(text)"
    )
    let rows = text.prefix { $0 != "\u{7}" }.split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.count == 6 && rows.dropLast().allSatisfy(\.isEmpty))
    // Nothing is written over the picture.
    #expect(text.contains("\u{7}\u{1B}8\n"), "\(text)")
  }

  @Test func `a picture that cannot be shown leaves the page unchanged`() {
    let plain = written("![two](b.png) [x](y)\n\n![three](c.png)\n", nil)
    #expect(!plain.contains("\u{1B}_G") && plain.contains("image: "))
    // The first picture is beside words, the second cannot be loaded, and the last one is a JPEG
    // file, which kitty does not support.
    #expect(
      written("![two](b.png) [x](y)\n\n![three](c.png)\n", show(.kitty, ["b.png": Self.png(9, 9)]))
        == plain)
    #expect(!written("![two](b.jpg)\n", show(.kitty, ["b.jpg": Self.jpeg])).contains("\u{1B}_G"))
  }

  @Test func `a tall picture is narrowed, and a wide one is as wide as the page`() {
    let tall = show(.kitty, ["a": Self.png(100, 10_000)]).place("a", width: 40)
    #expect(tall?.rows == 12 && tall?.columns == 1)
    let wide = show(.kitty, ["a": Self.png(4_000, 400)]).place("a", width: 40)
    #expect(wide?.columns == 40 && wide?.rows == 2)
    let thin = show(.kitty, ["a": Self.png(40_000_000, 1)]).place("a", width: 40)
    #expect(thin?.columns == 40 && thin?.rows == 1)
  }

  @Test
  func
    `the picture protocol is detected from the environment, but not inside tmux`()
  {
    #expect(PictureShow.imageProtocol(["TERM": "xterm-kitty"]) == .kitty)
    #expect(
      PictureShow.imageProtocol(["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"]) == .kitty)
    #expect(
      PictureShow.imageProtocol(["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"]) == .iTerm)
    #expect(
      PictureShow.imageProtocol(["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"]) == .iTerm)
    #expect(PictureShow.imageProtocol(["TERM": "xterm-256color"]) == nil)
    let inherited = ["TERM": "xterm", "KITTY_WINDOW_ID": "1", "XTERM_VERSION": "XTerm(379)"]
    #expect(PictureShow.imageProtocol(inherited) == nil)
    #expect(PictureShow.imageProtocol(["TERM": "xterm-kitty", "TMUX": "/tmp/x"]) == nil)
    #expect(PictureShow.imageProtocol(["TERM": "tmux-256color", "LC_TERMINAL": "iTerm2"]) == nil)
    #expect(PictureShow.imageProtocol([:]) == nil)
  }

  @Test func `Base64 has the padding of RFC 4648`() {
    for (text, letters) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
      #expect(Base64.encoded(Array(text.utf8)) == letters)
    }
  }
}
