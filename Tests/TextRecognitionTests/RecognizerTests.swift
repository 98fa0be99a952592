import Foundation
import Interchange
import TestSupport
import Testing
import TextRecognition

/// Pages that Pango draws and ImageMagick turns.
@Suite(.enabled(if: Page.canBeMade)) struct RecognizerTests {
  final class Page: WorkFolder {
    static let canBeMade = ["pango-view", "convert", "tesseract"].allSatisfy { name in
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: $0 + "/" + name)
      }
    }

    static let text = """
      The margin is where readers have always talked back to their books. A mark beside a line says that \
      somebody stopped here, and a word beside the mark says why.

      Most of these marks are lost. Those that are left tell us more about reading than any treatise does.
      """

    func picture(_ steps: String, _ name: String = "page.png") throws -> String {
      try write("page.txt", Self.text)
      try shell(
        "cd '\(path)'; pango-view -q --no-display --dpi=200 --width=320 --margin=80 --wrap=word "
          + "--font 'DejaVu Serif 11' --output clean.png page.txt; convert clean.png -colorspace Gray \(steps) \(name)")
      return path + "/" + name
    }
  }

  private func read(_ path: String) throws(ScanProblem) -> ScannedPage {
    let recognizer = try Recognizer(languages: "eng")
    defer { recognizer.release() }
    return try recognizer.page(path)
  }

  @Test(arguments: [
    ("", "page.png", 0), ("-background white -rotate 9 -quality 85", "page.jpg", 0),
    ("-rotate 90", "page.tiff", 3), ("-rotate 180", "page.webp", 2), ("-rotate 270", "page.png", 1),
    ("-background white -rotate -14", "page.png", 0), ("-resize 60%", "page.png", 0),
  ]) func `a page is read however it lies`(_ steps: String, _ name: String, _ quarters: Int) throws {
    let desk = try Page()
    let page = try read(try desk.picture(steps, name))
    let words = Page.text.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(page.words.map(\.text) == words)
    #expect(page.quarters == quarters)
    #expect(Set(page.words.map(\.paragraph)).count == 2)
    #expect(page.confidence > 85 && page.doubt == nil)
  }

  /// The boxes lie where the words are in the picture as it is stored: what is cut out there is the word.
  @Test(arguments: ["", "-background white -rotate 10", "-rotate 90", "-background white -rotate 185"])
  func `each word has its place in the picture`(_ steps: String) throws {
    let desk = try Page()
    let path = try desk.picture(steps)
    let page = try read(path)
    let word = try #require(page.words.first { $0.text == "treatise" })
    let xs = stride(from: 0, to: 8, by: 2).map { word.corners[$0] }
    let ys = stride(from: 1, to: 8, by: 2).map { word.corners[$0] }
    let (x, y) = (xs.reduce(0, +) / 4, ys.reduce(0, +) / 4)
    // Painting over the middle of its box takes this word away and no other.
    try desk.shell(
      "cd '\(desk.path)'; convert page.png -fill white -draw 'circle \(x),\(y) \(x + 34),\(y)' gone.png")
    let rest = try read(desk.path + "/gone.png").words.map(\.text)
    #expect(!rest.contains("treatise"))
    #expect(rest.contains("reading") && rest.contains("talked"))
  }

  @Test func `what cannot be read is refused in one line`() throws {
    let desk = try Page()
    try desk.write("text.png", "no picture, but long enough to be one")
    #expect(throws: ScanProblem.self) { try read(desk.path + "/text.png") }
    #expect(throws: ScanProblem.self) { try read(desk.path + "/none.png") }
    try desk.shell("convert -size 300x300 xc:white '\(desk.path)/empty.png'; "
      + "convert -size 16000x9000 -depth 1 xc:white '\(desk.path)/huge.png'")
    do throws(ScanProblem) {
      _ = try read(desk.path + "/empty.png")
      Issue.record("an empty page was read")
    } catch { #expect(error.problem.message.hasSuffix("has no words that can be read")) }
    do throws(ScanProblem) {
      _ = try read(desk.path + "/huge.png")
      Issue.record("a huge page was read")
    } catch { #expect(error.problem.message.contains("16000 × 9000 points")) }
    do throws(ScanProblem) {
      _ = try Recognizer(languages: "xyz")
      Issue.record("an unknown language was found")
    } catch { #expect(error.problem.hint == "sudo apt-get install tesseract-ocr-xyz") }
    #expect(throws: ScanProblem.self) { try Recognizer(languages: "../x") }
  }
}
