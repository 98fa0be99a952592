import Foundation
import Interchange
import PDFReading
import TestSupport
import Testing

@Suite struct PDFReaderTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  private func read(_ file: PDFMaker) throws -> PDFAnnotationList {
    let path = folder.path + "/book.pdf"
    try file.data.write(to: URL(fileURLWithPath: path))
    return try PDFReader.annotations(of: path)
  }

  @Test func `marked text is read with its note, colour, page and context`() throws {
    var file = PDFMaker(title: "Walden", author: "H. D. Thoreau")
    file.addPage(["It is never too late to give", "up our prejudices. No way of thinking."])
    file.addPage(["However mean your life is, meet it."])
    file.addMark(
      "Highlight", page: 1, from: (0, "never"), to: (1, "prejudices."), color: "1 1 0",
      more: "/Contents (Is it?) /NM (okular-1) /M (D:20230127055646Z)")
    file.addMark("Underline", page: 2, from: (0, "mean"), to: (0, "mean"), color: "0 0 1")
    let list = try read(file)
    #expect(list.title == "Walden" && list.author == "H. D. Thoreau")
    let first = try #require(list.annotations.first)
    #expect(first.quote == "never too late to give up our prejudices.")
    #expect(first.prefix == "It is" && first.suffix == "No way of thinking.")
    #expect(first.note == "Is it?" && first.color == "#ffff00" && first.page == "1")
    #expect(first.id == "okular-1" && first.changed == "D:20230127055646Z")
    #expect(list.annotations.map(\.quote).last == "mean")
    #expect(list.annotations.last?.color == "#0000ff" && list.annotations.last?.page == "2")
    #expect(list.annotations.count == 2 && list.skipped.isEmpty)
  }

  @Test func `marks of a page are in the order of its text, and a divided word is joined`() throws {
    var file = PDFMaker()
    file.addPage(["We need the tonic of wild-", "ness, and more of it."])
    file.addMark("Highlight", page: 1, from: (1, "more"), to: (1, "more"), color: "0 1 0")
    file.addMark("Highlight", page: 1, from: (0, "tonic"), to: (1, "ness,"), color: "0 1 0")
    #expect(try read(file).annotations.map(\.quote) == ["tonic of wildness,", "more"])
  }

  @Test(arguments: [90, 180, 270]) func `marks of a rotated page are read`(_ angle: Int) throws {
    var file = PDFMaker(rotation: angle)
    file.addPage(["The first line.", "The second line.", "The third line."])
    file.addMark("Highlight", page: 1, from: (1, "second"), to: (1, "second"), color: "1 1 0")
    #expect(try read(file).annotations.map(\.quote) == ["second"])
  }

  @Test(arguments: ["677 656 689 699", "440 140 450 180"])
  func `the areas of a mark count, not its rectangle`(_ frame: String) throws {
    var file = PDFMaker()
    file.addPage(["The first line.", "The second line.", "The third line."])
    // The rectangle is turned, as some writers do, or elsewhere on the page.
    file.addMark(
      "Highlight", page: 1, from: (1, "second"), to: (1, "second"), color: "1 1 0",
      frame: frame)
    #expect(try read(file).annotations.map(\.quote) == ["second"])
  }

  @Test func `a note belongs to the line beside it, and drawings are counted`() throws {
    var file = PDFMaker()
    file.addPage(["The first line.", "The second line."])
    file.addNote(page: 1, line: 1, "A remark")
    file.addMark(
      "Ink", page: 1, from: (0, "first"), to: (0, "first"), color: "0 0 0",
      more: "/InkList [[0 0 9 9]]")
    file.addMark("Link", page: 1, from: (0, "first"), to: (0, "first"), color: "0 0 0")
    let list = try read(file)
    #expect(list.annotations.map(\.quote) == ["The second line."])
    #expect(list.annotations.first?.note == "A remark")
    #expect(list.skipped == ["a drawing on page 1"])
  }

  @Test func `marked text after a thousand drawings is read`() throws {
    var file = PDFMaker()
    file.addPage(["The first line.", "The second line."])
    for _ in 0..<1005 {
      file.addMark("Square", page: 1, from: (0, "first"), to: (0, "first"), color: "0 0 0")
    }
    file.addMark("Highlight", page: 1, from: (1, "second"), to: (1, "second"), color: "1 1 0")
    let list = try read(file)
    #expect(list.annotations.map(\.quote) == ["second"])
    #expect(list.skipped.count == 1001)
    #expect(list.skipped.last == "5 more annotations without text")
  }

  @Test func `a file is identified by its text and its trailer, not by annotations`() throws {
    func list(_ text: String, marks: [String], title: String = "", id: String = "") throws
      -> PDFAnnotationList
    {
      var file = PDFMaker(title: title)
      file.id = id
      file.addPage([text, "The last line."])
      for word in marks {
        file.addMark(
          "Highlight", page: 1, from: (0, word), to: (0, word), color: "1 1 0",
          more: "/NM (fitz-A0) /Contents (a note)")
      }
      return try read(file)
    }
    let id = String(repeating: "0A", count: 16)
    let first = try list("The first line.", marks: ["first"])
    #expect(first.textDigest.utf8.count == 32 && first.fileID.isEmpty)
    let later = try list(
      "The first line.", marks: ["line", "first"], title: "A title", id: "/ID [<\(id)> <\(id)>]")
    #expect(later.textDigest == first.textDigest && later.fileID == id.lowercased())
    let other = try list("Another line.", marks: ["line"])
    #expect(other.textDigest != first.textDigest)
    #expect(try list("The first line.", marks: []).textDigest.isEmpty)
  }

  /// Returns the marks of two highlights, the first with a note.
  private func marks(_ colors: [UInt32]) -> [PDFMarking.Mark] {
    colors.enumerated().map { index, color in
      PDFMarking.Mark(
        id: "urn:diple:4\(index)-9f3c", quote: "words \(index)", prefix: "before ",
        suffix: " after", color: color, contents: index == 0 ? "*Why*? \u{5E9}\n#to read" : "",
        author: "",
        changed: "D:20230127055646Z", label: index == 0 ? "a" : "", isRightToLeft: false)
    }
  }

  @Test func `highlights are written in place of links, and read again`() throws {
    var file = PDFMaker(title: "Walden")
    file.addPage(["It is never too late to give", "up our prejudices. No way."])
    file.addPage(["However mean your life is, meet it."])
    func addLink(_ page: Int, _ line: Int, _ word: String, _ address: String) {
      file.addMark(
        "Link", page: page, from: (line, word), to: (line, word), color: "0 0 0",
        frame: file.frame(of: word, page: page, line: line),
        more: "/A << /S /URI /URI (\(address)) >>")
    }
    addLink(1, 0, "late to give", "diple-mark:0")
    addLink(1, 1, "up our", "diple-mark:0-1_0")
    addLink(1, 1, "No way", "https://example.org/kept")
    addLink(2, 0, "However", "diple-mark:0")
    let path = folder.path + "/plain.pdf"
    let output = folder.path + "/marked.pdf"
    try file.data.write(to: URL(fileURLWithPath: path))
    let marking = PDFMarking(
      scheme: "diple-mark:", marks: marks([0xA6E8B4, 0xFFF36D, 0xF7BFE6]),
      links: ["https://example.org/inner"])
    // The third highlight is on no page.
    #expect(try PDFMarker.write(marking, into: path, to: output) == 1)
    let list = try PDFReader.annotations(of: output)
    let found = list.annotations.map { "\($0.page) \($0.id) \($0.quote) \($0.color) \($0.note)" }
    #expect(
      found == [
        "1 urn:diple:40-9f3c late to give up our #a6e8b4 *Why*? \u{5E9}\n#to read",
        "1 urn:diple:41-9f3c up our #fff36d ", "2 urn:diple:40-9f3c/2 However #a6e8b4 ",
      ])
    #expect(list.annotations[0].changed == "D:20230127055646Z")
    let original = try #require(list.annotations[0].original)
    #expect(original.quote == "words 0" && original.prefix == "before ")
    #expect(original.note == list.annotations[0].note && original.color == "#a6e8b4")
    #expect(list.annotations[2].original == nil)
    let bytes = String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self)
    // Both real links are left, and each annotation has a picture of its own.
    #expect(!bytes.contains("diple-mark"))
    #expect(bytes.matches(of: /\/Subtype \/Link/).count == 2)
    #expect(bytes.matches(of: /\/BM \/Multiply/).count == 3)
    #expect(bytes.matches(of: /\/BaseFont \/Helvetica/).count == 1)
  }

  @Test func `text from right to left is read in its order`() throws {
    var file = PDFMaker(isArabic: true)
    // On the page the first word is at the right.
    file.addPage(["fed cba", "kji hg"])
    file.addMark("Highlight", page: 1, from: (0, "cba"), to: (0, "cba"), color: "1 1 0")
    file.addMark("Highlight", page: 1, from: (1, "ji"), to: (1, "ji"), color: "1 1 0")
    func arabic(_ word: String) -> String {
      String(String.UnicodeScalarView(word.utf8.map { Unicode.Scalar(0x0627 + UInt32($0) - 97)! }))
    }
    let list = try read(file)
    #expect(list.annotations.map(\.quote) == [arabic("abc"), arabic("ij")])
    let rest = ["def", "gh", "ijk"].map(arabic).joined(separator: " ")
    #expect(list.annotations.first?.suffix == rest)
  }

  @Test func `nothing is written for a damaged file`() throws {
    let path = folder.path + "/plain.pdf"
    try Data("%PDF-1.7 and no more".utf8).write(to: URL(fileURLWithPath: path))
    let marking = PDFMarking(scheme: "diple-mark:", marks: marks([0xA6E8B4]), links: [])
    #expect(throws: PDFError.self) {
      try PDFMarker.write(marking, into: path, to: folder.path + "/marked.pdf")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/marked.pdf"))
  }

  @Test(arguments: ["", "%PDF-1.4 and no more", "%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj"])
  func `a damaged file is refused in one line`(_ text: String) throws {
    let path = folder.path + "/book.pdf"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: PDFError.self) { try PDFReader.annotations(of: path) }
    #expect(error?.problem.message.hasSuffix("is damaged, or not a PDF file") == true)
  }
}

/// Writes PDF files with lines of text in a font of fixed width, and annotations.
private struct PDFMaker {
  private var title: String
  private var author: String
  private var pages: [[String]] = []
  private var annotations: [[String]] = []

  private var rotation: Int
  /// The identifier in the trailer: two strings in hexadecimal digits.
  var id = ""

  /// Whether the letters a to z are Arabic ones, in the order of Unicode.
  private var isArabic: Bool

  init(title: String = "", author: String = "", rotation: Int = 0, isArabic: Bool = false) {
    (self.title, self.author, self.rotation) = (title, author, rotation)
    self.isArabic = isArabic
  }

  mutating func addPage(_ lines: [String]) {
    pages.append(lines)
    annotations.append([])
  }

  /// The width of a letter and the height of a line in points.
  private static let (letter, line) = (7.2, 20.0)

  private static func box(_ line: Int, _ letters: Range<Int>) -> (Double, Double, Double, Double) {
    let base = 700 - Double(line) * Self.line
    return (
      72 + Double(letters.lowerBound) * letter, base - 3, 72 + Double(letters.upperBound) * letter,
      base + 9
    )
  }

  /// Marks the text from a word in a line to a word in another.
  mutating func addMark(
    _ type: String, page: Int, from: (line: Int, word: String), to: (line: Int, word: String),
    color: String, frame written: String? = nil, more: String = ""
  ) {
    let lines = pages[page - 1]
    func place(_ word: String, _ line: Int) -> Range<Int> {
      let range = lines[line].range(of: word)!
      return lines[line].distance(
        from: lines[line].startIndex, to: range.lowerBound)..<lines[line].distance(
          from: lines[line].startIndex, to: range.upperBound)
    }
    let points = (from.line...to.line).map { line -> String in
      let start = line == from.line ? place(from.word, line).lowerBound : 0
      let end = line == to.line ? place(to.word, line).upperBound : lines[line].count
      let (left, bottom, right, top) = Self.box(line, start..<end)
      return "\(left) \(top) \(right) \(top) \(left) \(bottom) \(right) \(bottom)"
    }
    let boxes = (from.line...to.line).map { Self.box($0, 0..<lines[$0].count) }
    let frame =
      written ?? "\(boxes[0].0) \(boxes.last!.1) \(boxes.map(\.2).max()!) \(boxes[0].3)"
    annotations[page - 1].append(
      "<< /Type /Annot /Subtype /\(type) /Rect [\(frame)] /C [\(color)] "
        + "/QuadPoints [\(points.joined(separator: " "))] \(more) >>")
  }

  /// Returns the edges of some words.
  func frame(of words: String, page: Int, line: Int) -> String {
    let text = pages[page - 1][line]
    let range = text.range(of: words)!
    let start = text.distance(from: text.startIndex, to: range.lowerBound)
    let (left, bottom, right, top) = Self.box(line, start..<start + words.count)
    return "\(left) \(bottom) \(right) \(top)"
  }

  mutating func addNote(page: Int, line: Int, _ text: String) {
    let (left, bottom, _, top) = Self.box(line, 0..<1)
    annotations[page - 1].append(
      "<< /Type /Annot /Subtype /Text /Rect [\(left - 40) \(bottom) \(left - 20) \(top)] "
        + "/Contents (\(text)) >>")
  }

  var data: Data {
    var objects: [String] = []
    let first = 4
    let kids = pages.indices.map { "\(first + 2 * $0) 0 R" }.joined(separator: " ")
    objects.append("<< /Type /Catalog /Pages 2 0 R >>")
    objects.append("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>")
    let map = isArabic ? "/ToUnicode \(first + 2 * pages.count + 1) 0 R " : ""
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Courier \(map)>>")
    for (index, lines) in pages.enumerated() {
      let text =
        "BT /F 12 Tf 20 TL 72 700 Td " + lines.map { "(\($0)) Tj T* " }.joined() + "ET"
      objects.append(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate \(rotation) /Contents \(first + 2 * index + 1) 0 R "
          + "/Resources << /Font << /F 3 0 R >> >> "
          + "/Annots [\(annotations[index].joined(separator: " "))] >>")
      objects.append("<< /Length \(text.utf8.count) >>\nstream\n\(text)\nendstream")
    }
    objects.append("<< /Title (\(title)) /Author (\(author)) >>")
    let information = objects.count
    let mapping =
      "begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
      + "1 beginbfrange <61> <7A> <0627> endbfrange endcmap"
    objects.append("<< /Length \(mapping.utf8.count) >>\nstream\n\(mapping)\nendstream")
    var file = "%PDF-1.4\n"
    var offsets: [Int] = []
    for (index, object) in objects.enumerated() {
      offsets.append(file.utf8.count)
      file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let start = file.utf8.count
    file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for offset in offsets { file += String(format: "%010d 00000 n \n", offset) }
    file += "trailer << /Size \(objects.count + 1) /Root 1 0 R "
    file += "/Info \(information) 0 R \(id) >>\n"
    file += "startxref\n\(start)\n%%EOF\n"
    return Data(file.utf8)
  }
}
