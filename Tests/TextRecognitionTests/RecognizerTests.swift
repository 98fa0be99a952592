import Foundation
import Interchange
import TestSupport
import Testing
import TextRecognition

@Suite(.enabled(if: PagePicture.canBeMade)) struct RecognizerTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private func picture(_ steps: String, _ name: String = "page.png") throws -> String {
    try PagePicture.make(folder.path + "/" + name, steps)
    return folder.path + "/" + name
  }

  private func read(_ path: String) throws(ScanError) -> ScannedPage {
    let recognizer = try Recognizer(languages: "eng")
    defer { recognizer.release() }
    return try recognizer.page(path)
  }

  @Test(arguments: [
    ("", "page.png", 0), ("-background white -rotate 9 -quality 85", "page.jpg", 0),
    ("-rotate 90", "page.tiff", 3), ("-rotate 180", "page.webp", 2), ("-rotate 270", "page.png", 1),
    ("-background white -rotate -14", "page.png", 0), ("-resize 60%", "page.png", 0),
  ]) func `a page is recognised at any rotation`(_ steps: String, _ name: String, _ quarters: Int)
    throws
  {
    let page = try read(try picture(steps, name))
    let words = PagePicture.text.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(page.words.map(\.text) == words)
    #expect(page.quarters == quarters)
    #expect(Set(page.words.map(\.paragraph)).count == 2)
    #expect(page.confidence > 85 && page.doubt == nil)
  }

  /// The boxes are in coordinates of the stored picture, so cutting out a box cuts out its word.
  @Test(arguments: [
    "", "-background white -rotate 10", "-rotate 90", "-background white -rotate 185",
  ])
  func `each word has a box in the picture`(_ steps: String) throws {
    let page = try read(try picture(steps))
    let word = try #require(page.words.first { $0.text == "treatise" })
    let xs = stride(from: 0, to: 8, by: 2).map { word.corners[$0] }
    let ys = stride(from: 1, to: 8, by: 2).map { word.corners[$0] }
    let (x, y) = (xs.reduce(0, +) / 4, ys.reduce(0, +) / 4)
    // Painting over the middle of its box removes only this word.
    try folder.shell(
      "cd '\(folder.path)'; convert page.png -fill white -draw 'circle \(x),\(y) \(x + 34),\(y)' gone.png"
    )
    let rest = try read(folder.path + "/gone.png").words.map(\.text)
    #expect(!rest.contains("treatise"))
    #expect(rest.contains("reading") && rest.contains("talked"))
  }

  @Test func `an unreadable picture is rejected with a message of one line`() throws {
    try folder.write("text.png", "no picture, but long enough to be one")
    #expect(throws: ScanError.self) { try read(folder.path + "/text.png") }
    #expect(throws: ScanError.self) { try read(folder.path + "/none.png") }
    try folder.shell("convert -size 300x300 xc:white '\(folder.path)/empty.png'")
    // Python writes the large picture, because ImageMagick's own limits may forbid it.
    try folder.write(
      "huge.py",
      """
      import struct, sys, zlib
      def chunk(name, data):
          return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
      head = struct.pack(">IIBBBBB", 12000, 7000, 1, 0, 0, 0, 0)
      rows = zlib.compress(b"\\0" * 1501 * 7000)
      open(sys.argv[1], "wb").write(
          b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
      """)
    try folder.shell("python3 '\(folder.path)/huge.py' '\(folder.path)/huge.png'")
    do throws(ScanError) {
      _ = try read(folder.path + "/empty.png")
      Issue.record("an empty page was read")
    } catch { #expect(error.problem.message.hasSuffix("has no words that can be read")) }
    do throws(ScanError) {
      _ = try read(folder.path + "/huge.png")
      Issue.record("a huge page was read")
    } catch { #expect(error.problem.message.contains("12000 × 7000 points")) }
    do throws(ScanError) {
      _ = try Recognizer(languages: "xyz")
      Issue.record("an unknown language was found")
    } catch { #expect(error.problem.hint == "sudo apt-get install tesseract-ocr-xyz") }
    #expect(throws: ScanError.self) { try Recognizer(languages: "../x") }
  }
}
