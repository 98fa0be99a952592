import Foundation
import LibrarySupport
import Model
import SystemSupport
import TestSupport
import Testing

@testable import LibraryExchange
@testable import Workspace

private let hasSQLite = (try? WorkFolder().shell("sqlite3 --version")) != nil

/// Tests importing other programs' databases, which the sqlite3 program creates.
@Suite(.enabled(if: hasSQLite)) struct DatabaseImportTests {
  let folder: LibraryFolder

  init() throws { folder = try LibraryFolder() }

  private func database(_ name: String, _ sql: String) throws -> [UInt8] {
    try folder.write(name + ".sql", sql)
    try folder.shell("sqlite3 \(name) < \(name).sql; rm \(name).sql")
    return try bytes(name)
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: folder.path + "/" + name)))
  }

  private static let kobo = """
    CREATE TABLE content (ContentID TEXT, Title TEXT, Attribution TEXT);
    INSERT INTO content VALUES ('file:///mnt/onboard/signs.epub', 'On signs', 'Ann Reed'),
      ('signs.epub!!one.xhtml', 'One', NULL);
    CREATE TABLE Bookmark (BookmarkID TEXT, VolumeID TEXT, ContentID TEXT, Text TEXT, Annotation TEXT,
      DateCreated TEXT, DateModified TEXT, ChapterProgress REAL, Hidden BIT, Type TEXT
      COLOR);
    """

  @Test(arguments: [true, false])
  func `highlights of a Kobo are imported with and without a colour column`(hasColor: Bool)
    async throws
  {
    let library = try await folder.library()
    let columns = hasColor ? ", Color INTEGER" : ""
    let values = hasColor ? ", 2" : ""
    let data = try database(
      "KoboReader.sqlite",
      Self.kobo.replacing("\n  COLOR", with: columns)
        + """
        INSERT INTO Bookmark VALUES ('a', 'file:///mnt/onboard/signs.epub', 'signs.epub!!one.xhtml',
          '  Look here ', 'Why?', '2023-01-27T05:56:46.000', '2023-01-27T05:57:46Z', 0.25, 'false',
          'note'\(values));
        INSERT INTO Bookmark VALUES ('b', 'file:///mnt/onboard/other.epub', 'x', NULL, NULL,
          '2023-01-27T05:56:46Z', NULL, 0.5, 'false', 'dogear'\(values));
        INSERT INTO Bookmark VALUES ('c', 'file:///mnt/onboard/other.epub', 'x', 'hidden', NULL,
          '2023-01-27T05:56:46Z', NULL, 0.5, 'true', 'highlight'\(values));
        """)
    let report = try await library.importHighlights(
      data, at: folder.path + "/KoboReader.sqlite", from: nil, into: nil)
    #expect(report.sources.map(\.format) == ["Kobo highlights"])
    #expect(report.skipped == ["a bookmark"])
    let made = try #require(report.made.first?.highlight)
    #expect(report.made.count == 1 && made.selector.exact == "Look here" && made.note == "Why?")
    #expect(made.color == (hasColor ? .blue : .yellow))
    let origin = try #require(made.origin?.origin)
    #expect(origin.title == "On signs" && origin.author == "Ann Reed" && origin.id == "a")
    #expect(origin.location == "One · 25 %")
    // The dates are in UTC, even those without a zone, and not in the zone of this machine.
    #expect(origin.created == Date(timeIntervalSince1970: 1_674_799_006))
    #expect(!report.sources[0].hasLocalDates)
    // The original is unchanged, and no temporary file remains.
    #expect(try bytes("KoboReader.sqlite") == data)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix("KoboReader") } == ["KoboReader.sqlite"])
    let again = try await library.importHighlights(data, from: nil, into: nil)
    #expect(again.known == 1 && again.made.isEmpty)
  }

  @Test func `highlights of Apple Books get titles from the second database`() async throws {
    let library = try await folder.library()
    let data = try database(
      "AEAnnotation.sqlite",
      """
      CREATE TABLE ZAEANNOTATION (ZANNOTATIONUUID VARCHAR, ZANNOTATIONASSETID VARCHAR,
        ZANNOTATIONSELECTEDTEXT VARCHAR, ZANNOTATIONNOTE VARCHAR, ZANNOTATIONSTYLE INTEGER,
        ZANNOTATIONCREATIONDATE TIMESTAMP, ZANNOTATIONMODIFICATIONDATE TIMESTAMP,
        ZANNOTATIONDELETED INTEGER, ZFUTUREPROOFING5 VARCHAR, ZANNOTATIONLOCATION VARCHAR);
      INSERT INTO ZAEANNOTATION VALUES ('u1', 'A1', 'Look here', NULL, 1, 696491806.25, 696491866, 0,
        'One', 'epubcfi(/6/8)'), ('u2', 'A1', 'deleted', NULL, 1, 0, 0, 1, NULL, NULL),
        ('u3', 'A1', NULL, NULL, 1, 0, 0, 0, NULL, NULL);
      """)
    let books = try database(
      "BKLibrary.sqlite",
      """
      CREATE TABLE ZBKLIBRARYASSET (ZASSETID VARCHAR, ZTITLE VARCHAR, ZAUTHOR VARCHAR);
      INSERT INTO ZBKLIBRARYASSET VALUES ('A1', 'On signs', 'Ann Reed');
      """)
    #expect(try await library.isCompanion(books, at: ""))
    #expect(try await !library.isCompanion(data, at: ""))
    let report = try await library.importHighlights(data, beside: [books], from: nil, into: nil)
    let origin = try #require(report.made.first?.highlight.origin?.origin)
    #expect(report.made.count == 1 && report.skipped == ["a bookmark"])
    #expect(origin.title == "On signs" && origin.author == "Ann Reed" && origin.location == "One")
    #expect(origin.color == "green" && report.made[0].highlight.color == .green)
    #expect(origin.created == Date(timeIntervalSince1970: 1_674_799_006))
  }

  @Test func `annotations in a library of calibre have the titles of their books`() async throws {
    let library = try await folder.library()
    let data = try database(
      "metadata.db",
      """
      CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author_sort TEXT COLLATE NOCASE);
      CREATE TABLE annotations (id INTEGER PRIMARY KEY, book INTEGER, format TEXT, user TEXT,
        timestamp REAL, annot_id TEXT, annot_type TEXT, annot_data TEXT, searchable_text TEXT);
      CREATE VIEW meta AS SELECT id, title FROM books;
      INSERT INTO books VALUES (3, 'On signs', 'Reed, Ann & Wood, Ed');
      INSERT INTO annotations VALUES
        (1, 3, 'EPUB', 'viewer', 0, 'u', 'highlight', '{"type": "highlight", "uuid": "u",
          "highlighted_text": "Look here", "notes": "Why?", "timestamp": "2023-01-27T05:56:46Z",
          "style": {"kind": "color", "type": "builtin", "which": "blue"}}', ''),
        (2, 3, 'EPUB', 'viewer', 0, 'v', 'bookmark', '{"type": "bookmark", "title": "x"}', ''),
        (3, 9, 'EPUB', 'viewer', 0, 'w', 'highlight', 'damaged', '');
      """)
    let report = try await library.importHighlights(data, from: nil, into: nil)
    #expect(report.sources.map(\.format) == ["calibre annotations"])
    #expect(report.skipped == ["a bookmark"])
    let made = try #require(report.made.first?.highlight)
    #expect(report.made.count == 1 && made.selector.exact == "Look here" && made.color == .blue)
    let origin = try #require(made.origin?.origin)
    #expect(origin.title == "On signs" && origin.author == "Reed, Ann; Wood, Ed")
    #expect(origin.id == "u" && made.note == "Why?")
    let again = try await library.importHighlights(data, from: nil, into: nil)
    #expect(again.known == 1 && again.made.isEmpty && again.updated.isEmpty)
  }

  @Test func `a database with a view, and a damaged one, are rejected in one line`()
    async throws
  {
    let library = try await folder.library()
    let view = try database(
      "view.sqlite",
      """
      CREATE TABLE t (x);
      CREATE VIEW Bookmark AS SELECT 1 AS VolumeID, randomblob(1000000000) AS Text;
      """)
    for data in [view, Array(view.prefix(600)), Array("SQLite format 3\0".utf8)] {
      let error = try await failure {
        _ = try await library.importHighlights(data, from: nil, into: nil)
      }
      #expect(error.code == .usage && !error.message.contains("\n"), "\(error)")
    }
  }

  /// `DIPLE_FUZZ_RUNS` sets the number of changed databases (200), `DIPLE_TEST_SEED` repeats a run.
  @Test func `a randomly changed database is imported or rejected in one line`() async throws {
    let library = try await folder.library()
    let seed = SeededGenerator.runSeed
    let runs = ProcessInfo.processInfo.environment["DIPLE_FUZZ_RUNS"].flatMap(Int.init) ?? 200
    print("seed \(seed), \(runs) runs")
    var random = SeededGenerator(seed: seed)
    let rows = (0..<40).map {
      "('id\($0)', 'file:///mnt/onboard/signs.epub', 'x', '\(String(repeating: "words ", count: $0))', 'n', "
        + "'2023-01-27T05:56:46Z', NULL, 0.5, 'false', 'note', \($0))"
    }
    let kobo = try database(
      "kobo.sqlite",
      "PRAGMA page_size = 512;" + Self.kobo.replacing("\n  COLOR", with: ", Color INTEGER")
        + "INSERT INTO Bookmark VALUES \(rows.joined(separator: ","));")
    let apple = try database(
      "apple.sqlite",
      """
      PRAGMA page_size = 1024;
      CREATE TABLE ZAEANNOTATION (ZANNOTATIONUUID VARCHAR, ZANNOTATIONASSETID VARCHAR,
        ZANNOTATIONSELECTEDTEXT VARCHAR, ZANNOTATIONNOTE VARCHAR, ZANNOTATIONSTYLE INTEGER,
        ZANNOTATIONCREATIONDATE TIMESTAMP, ZANNOTATIONMODIFICATIONDATE TIMESTAMP,
        ZANNOTATIONDELETED INTEGER, ZFUTUREPROOFING5 VARCHAR, ZANNOTATIONLOCATION VARCHAR);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO ZAEANNOTATION SELECT 'u' || i, 'A1', 'Look here ' || i, NULL, 1, 696491806.25, 1, 0,
        'One', 'epubcfi(/6/8)' FROM n;
      """)
    var read = 0
    for run in 0..<runs {
      var bytes = run % 2 == 0 ? kobo : apple
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        // Most of the structure is at the beginnings of pages.
        let page = Int.random(in: 0..<(bytes.count / 512), using: &random) * 512
        let place =
          page + Int.random(in: 0..<(Bool.random(using: &random) ? 24 : 512), using: &random)
        guard place >= 16, place < bytes.count else { continue }
        bytes[place] =
          Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 0xFF
      }
      if run % 9 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count - 16, using: &random)) }
      do {
        let report = try await library.importHighlights(bytes, from: nil, into: nil, dryRun: true)
        read += report.made.count
      } catch {
        #expect(!error.message.contains("\n"), "seed \(seed), run \(run): \(error)")
      }
    }
    #expect(read > 0)
    #expect(try await library.highlights(.init()).isEmpty)
  }
}
