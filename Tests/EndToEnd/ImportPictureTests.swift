import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PagePicture.canBeMade)) struct ImportPictureTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    bench.environment["DIPLE_LIBRARY"] = bench.path(".diple")
    try bench.diple("init")
    try PagePicture.make(bench.path("photo.jpg"), "-background white -rotate 6 -quality 85")
  }

  @Test
  func
    `recognised words are highlighted in a document, or else added to the quotes`()
    throws
  {
    try bench.write(
      "book.md", "# A book\n\nMost of these marks are lost. Those that are left tell us more.\n")
    try bench.diple("add", "book.md")
    let placed = try bench.diple("import", "photo.jpg", "--words", "most of..lost", "--json")
    #expect(placed.code == 0)
    let found = try #require(try bench.highlights().first)
    #expect(
      found.quote == "Most of these marks are lost."
        || found.quote == "Most of these marks are lost")
    #expect(found.line == 3 && found.state == "exact")
    let other = try bench.diple("import", "photo.jpg", "--words", "1..6")
    #expect(other.code == 0)
    #expect(
      try bench.read("Quotes/Quotes.md").contains(
        "> The margin is where readers have\n\npictures/photo.jpg\n"))
    #expect(try bench.diple("import", "photo.jpg", "--words", "1..6").code == 1)
    for name in ["photo.jpg", "photo.jpg.json"] {
      #expect(FileManager.default.fileExists(atPath: bench.path("Quotes/pictures/" + name)))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("Quotes/pictures"))
    #expect(names.count == 2)
    // Another picture of the same name is stored under a different name.
    try PagePicture.make(bench.path("photo.jpg"), "-rotate 90 -quality 60")
    #expect(try bench.diple("import", "photo.jpg", "--words", "7..9").code == 0)
    #expect(FileManager.default.fileExists(atPath: bench.path("Quotes/pictures/photo-2.jpg")))
  }

  @Test func `importing a picture neither writes through links nor replaces files`() throws {
    try bench.write("mine", "mine\n")
    try bench.shell(
      "mkdir -p Quotes/pictures && ln -s ../../mine Quotes/pictures/photo.jpg.json"
        + " && ln -s ../../new Quotes/pictures/photo-2.jpg && echo mine > Quotes/pictures/photo-3.jpg.json"
    )
    let result = try bench.diple("import", "photo.jpg", "--words", "1..6")
    #expect(result.code == 0, "\(result)")
    #expect(
      try bench.read("mine") == "mine\n"
        && bench.read("Quotes/pictures/photo-3.jpg.json") == "mine\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("new")))
    for name in ["photo-4.jpg", "photo-4.jpg.json"] {
      #expect(FileManager.default.fileExists(atPath: bench.path("Quotes/pictures/" + name)))
    }
    // If the description of a stored picture was deleted, the next import writes it again.
    try bench.shell("rm Quotes/pictures/photo-4.jpg.json")
    #expect(try bench.diple("import", "photo.jpg", "--words", "7..9").code == 0)
    #expect(FileManager.default.fileExists(atPath: bench.path("Quotes/pictures/photo-4.jpg.json")))
  }

  @Test func `an import with an unknown language, range or format fails`() throws {
    let unknown = try bench.diple("import", "photo.jpg", "--lang", "xyz")
    #expect(unknown.code == 4)
    #expect(
      unknown.errors
        == "diple: Tesseract has no model for xyz; sudo apt-get install tesseract-ocr-xyz\n")
    #expect(try bench.diple("import", "photo.jpg", "--words", "nothing..here").code == 4)
    #expect(try bench.diple("import", "photo.jpg", "--from", "text").code == 2)
    try bench.write("words.txt", "Some words")
    #expect(try bench.diple("import", "words.txt", "--words", "1..2").code == 2)
    try bench.write("torn.png", "PNG")
    let torn = try bench.diple("import", "torn.png")
    #expect(torn.code == 2 && torn.errors.contains("cannot read the picture torn.png"), "\(torn)")
    #expect(try bench.diple("list").lines.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: bench.path("Quotes")))
    try FileManager.default.createDirectory(
      atPath: bench.path("bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Workbench.programs.appendingPathComponent("diple"),
      to: URL(filePath: bench.path("bin/diple")))
    let result = try bench.run(bench.path("bin/diple"), ["import", "photo.jpg"])
    #expect(result.code == 4)
    #expect(result.errors.contains("diple-ocr cannot be started"))
  }
}
