import Formats
import Foundation
import Interchange
import Testing

/// Tests peculiarities of the files of Kindles.
@Suite struct KindleClippingsTests {
  private func read(_ text: String) throws -> ImportContent {
    try KindleClippings().read(ImportSource(Array(text.utf8)))
  }

  private func entry(_ head: String, _ words: String = "Look here", of title: String = "Book (A B)")
    -> String
  {
    "\(title)\r\n\(head)\r\n\r\n\(words)\r\n==========\r\n"
  }

  private func date(_ record: AnnotationRecord?) -> String? {
    record?.created.map { $0.formatted(.iso8601) }
  }

  @Test(arguments: [
    (
      "- Your Highlight on page 12 | Location 340-342 | Added on Friday, 27 January 2023 05:56:46",
      "page 12 · location 340-342", "2023-01-27T05:56:46Z"
    ),
    (
      "- Your Highlight Location 145-46 | Added on Sunday, March 5, 2017, 07:12 PM",
      "location 145-146", "2017-03-05T19:12:00Z"
    ),
    (
      "- Highlight Loc. 145-46 | Added on Monday, 6 June 2011 12:05:00 AM", "location 145-146",
      "2011-06-06T00:05:00Z"
    ),
    (
      "- Ihre Markierung auf Seite 5 | Position 61-62 | Hinzugefügt am Samstag, 1. März 2014 13:01:02",
      "page 5 · location 61-62", "2014-03-01T13:01:02Z"
    ),
    (
      "- Votre surlignement sur la page 14 | emplacement 212-213 | Ajouté le lundi 4 août 2014 22:15:04",
      "page 14 · location 212-213", "2014-08-04T22:15:04Z"
    ),
    (
      "- La subrayado en la página 9 | posición 130-131 | Añadido el miércoles, 2 de septiembre de 2015 8:04:05",
      "page 9 · location 130-131", "2015-09-02T08:04:05Z"
    ),
    (
      "- La tua evidenziazione a pagina 3 | posizione 40-41 | Aggiunto in data giovedì 7 luglio 2016 21:09:08",
      "page 3 · location 40-41", "2016-07-07T21:09:08Z"
    ),
    (
      "- Seu destaque na página 7 | posição 100-102 | Adicionado: domingo, 3 de fevereiro de 2013 23h32min06s GMT-03:00",
      "page 7 · location 100-102", "2013-02-04T02:32:06Z"
    ),
    (
      "- Je markering op pagina 8 | locatie 110-112 | Toegevoegd op dinsdag 3 mei 2016 10:11:12",
      "page 8 · location 110-112", "2016-05-03T10:11:12Z"
    ),
    (
      "- 3ページ|位置No. 40-41のハイライト |作成日: 2019年3月5日火曜日 19:12:13", "page 3 · location 40-41",
      "2019-03-05T19:12:13Z"
    ),
    (
      "- 您在第 4 页（位置 #1892-1893）的标注 | 添加于 2019年3月5日星期二 下午7:12:13",
      "page 4 · location 1892-1893", "2019-03-05T19:12:13Z"
    ),
    (
      "- 您在位置 #1892-1893的标注 | 添加于 2019年3月5日星期二 上午12:02:13", "location 1892-1893",
      "2019-03-05T00:02:13Z"
    ),
    (
      "- Ваш выделенный отрывок на странице 12 | место 180-181 | Добавлено: суббота, 5 марта 2016 г. в 14:15:16",
      "page 12 · location 180-181", "2016-03-05T14:15:16Z"
    ),
    (
      "- 12. sayfadaki vurgunuz | 180-181. konum | Eklenme: 5 Mart 2016 Cumartesi 14:15:16",
      "page 12 · location 180-181", "2016-03-05T14:15:16Z"
    ),
    (
      "- Twoje zaznaczenie na stronie 12 | Pozycja 180-181 | Dodano: 5 marca 2016 14:15:16",
      "page 12 · location 180-181", "2016-03-05T14:15:16Z"
    ),
    (
      "- Your Highlight on page xii | Added on Friday, 27 January 2023 05:56:46", "page xii",
      "2023-01-27T05:56:46Z"
    ),
    (
      "– Ваш выделенный отрывок на странице 8 | Место 243–245 | Добавлено: пятница, 26 февраля 2016 г. в 11:00:57",
      "page 8 · location 243-245", "2016-02-26T11:00:57Z"
    ),
    (
      "- Tu subrayado en la página 7 | posición 89-92 | Añadido el martes, 12 de marzo de 2024 9:30:15 p. m.",
      "page 7 · location 89-92", "2024-03-12T21:30:15Z"
    ),
    (
      "- Tu subrayado en la posición 89-92 | Añadido el martes, 12 de marzo de 2024 12:30:15\u{202F}a.\u{A0}m.",
      "location 89-92", "2024-03-12T00:30:15Z"
    ),
    (
      "- Je highlight op pagina 1 t/m 10 | locatie 55 t/m 88 | Toegevoegd op donderdag 22 augustus 2024 18:10:53",
      "page 1-10 · location 55-88", "2024-08-22T18:10:53Z"
    ),
    (
      "- Je highlight op pagina iv t/m ix | Toegevoegd op donderdag 22 augustus 2024 18:10:53",
      "page iv-ix", "2024-08-22T18:10:53Z"
    ),
    (
      "- Seu destaque na página xiv-xvi | posição 7-9 | Adicionado: Sunday, August 16, 2026 11:10:00 AM",
      "page xiv-xvi · location 7-9", "2026-08-16T11:10:00Z"
    ),
    (
      "- ページ112の位置1300～1301のハイライト |作成日: 2024年8月22日木曜日 午後6:10:53",
      "page 112 · location 1300-1301", "2024-08-22T18:10:53Z"
    ),
    (
      "- 您在第 xii 页（位置 #77-78）的标注 | 添加于 2016年2月26日星期五 上午10:56:04", "page xii · location 77-78",
      "2016-02-26T10:56:04Z"
    ),
    (
      "- 12. sayfadaki 180-181. konumdaki vurgunuz | Eklenme: 05.03.16 14:15:16",
      "page 12 · location 180-181", "2016-03-05T14:15:16Z"
    ),
    (
      "- Sayfa 12 | Konum 180-181 | Vurgu | Eklenme: 17-03-05 14:15:16",
      "page 12 · location 180-181",
      "2017-03-05T14:15:16Z"
    ),
    (
      "- Your Highlight on page 1 | location 2 | Added on Thursday, 22-Aug-24 18:10:53",
      "page 1 · location 2", "2024-08-22T18:10:53Z"
    ),
    (
      "- Your Underline on Location 50-55 | Added on Tuesday, 7 July, 2026 12:32:25\u{202F}AM",
      "location 50-55", "2026-07-07T00:32:25Z"
    ),
  ])
  func `a head is parsed in each language`(_ head: String, _ place: String, _ made: String) throws {
    let content = try read(entry(head))
    #expect(content.records.map(\.location) == [place])
    #expect(date(content.records.first) == made)
    // Only a date with a time zone is an absolute time.
    #expect(content.records.first?.hasLocalDates == !head.contains("GMT"))
  }

  @Test(arguments: [
    "- Your Note on Location 342 | Added on x", "- Ihre Notiz bei Position 342 | Hinzugefügt",
    "- Votre note sur l'emplacement 342 | Ajouté", "- Mi nota en la posición 342 | Añadido",
    "- La tua nota alla posizione 342 | Aggiunto", "- Sua nota na posição 342 | Adicionado",
    "- Je notitie op locatie 342 | Toegevoegd", "- 位置No. 342のメモ |作成日: x", "- 您在位置 #342 的笔记 | 添加于 x",
    "- Ваша заметка в месте 342 | Добавлено", "- 342. konumdaki notunuz | Eklenme",
  ])
  func `a note is joined to its highlight in each language`(_ head: String) throws {
    let content = try read(
      entry("- Your Highlight on Location 340-342 | Added on x") + entry(head, "Why?"))
    #expect(content.records.map(\.note) == ["Why?"], "\(head)")
    #expect(content.skipped.isEmpty)
  }

  @Test func `bookmarks and empty entries are skipped, and separate notes belong to the book`()
    throws
  {
    let content = try read(
      entry("- Your Bookmark on page 3 | Added on x", "")
        + entry("- Ihr Lesezeichen auf Seite 3 | Hinzugefügt", "")
        + entry("- Your Highlight on page 4 | Added on x", "")
        + entry("- Your Note on page 9 | Location 99 | Added on x", "alone")
        + "broken\r\n==========\r\n"
        + entry(
          "- Your Highlight on page 5 | Added on x",
          "<You have reached the clipping limit for this item>")
        + entry("- Your Highlight on page 6 | Added on x"))
    #expect(content.records.map(\.location) == ["page 6"])
    #expect(
      Set(content.skipped) == [
        "2 bookmarks", "entry 3, of Book, has no text", "entry 5 is not a clipping",
        "an entry of Book, which the Kindle omitted because of the publisher's limit",
      ])
    #expect(
      content.notes == [
        SeparateNote(
          title: "Book", author: "A B", location: "page 9 · location 99", text: "alone")
      ])
  }

  @Test func `words before the message of a limit are kept`() throws {
    let limits = [
      "Look <You have reached the clipping limit set by the publisher, Press>",
      "<このアイテムのクリップの上限に達しました>", "<Вы достигли максимального количества элементов>", "<b>", "a <b>",
    ]
    let content = try read(
      limits.enumerated().map {
        entry("- Your Highlight on Location \($0.offset)0 | Added on x", $0.element)
      }.joined())
    #expect(content.records.map(\.quote) == ["Look", "<b>", "a <b>"])
    #expect(
      content.skipped == [
        "2 entries of Book, which the Kindle omitted because of the publisher's limit"
      ])
  }

  @Test func `a page without locations can have several notes`() throws {
    func on(_ kind: String, _ words: String) -> String {
      entry("- Your \(kind) on page 36 | Added on x", words)
    }
    let content = try read(
      on("Highlight", "Look here") + on("Note", "Fir") + on("Note", "First")
        + on("Highlight", "and there") + on("Note", "Second"))
    #expect(content.records.map(\.note) == ["First", "Second"])
    #expect(content.skipped.count == 1 && content.skipped[0].contains("'Fir'"))
  }

  /// With an algorithm that is not linear, this would take minutes.
  @Test(arguments: ["on page 36", "on page 36 | Location 5", "Location 5-900000"])
  func `many entries at the same place are read`(_ place: String) throws {
    let count = 6000
    let text = (0..<count).map { number in
      entry("- Your Highlight \(place) | Added on x", "words \(number) words")
        + entry(
          "- Your Note \(place.replacing("Location 5-", with: "Location ")) | Added on x",
          "n\(number)")
    }.joined()
    let content = try read(text)
    #expect(content.records.count == count)
    #expect(content.records.contains { !$0.note.isEmpty })
  }

  @Test func `repeated and longer highlights are merged, and keep their earlier quotes`() throws {
    func at(_ place: String, _ words: String) -> String {
      entry("- Your Highlight on Location \(place) | Added on x", words)
    }
    let content = try read(
      at("10-12", "a quick brown fox") + at("10-12", "a quick brown fox")
        + at("10-13", "a quick brown fox jumps") + at("11-13", "brown fox jumps over the dog")
        + at("50-51", "a quick brown fox"))
    #expect(
      content.records.map(\.quote) == [
        "a quick brown fox jumps", "brown fox jumps over the dog", "a quick brown fox",
      ])
    #expect(content.records[0].earlier.map(\.quote) == ["a quick brown fox"])
  }

  @Test(arguments: [
    "==========\r\nBook (A B)\r\n- Your Highlight on Location 4-5 | Added on x\r\n\r\nLook\r\n",
    "Book (A B)\r\n– Ваш выделенный отрывок в месте 4–5 | Добавлено: x\r\n\r\nLook\r\n==========\r\n",
    "\u{FEFF}\r\n\r\nBook (A B)\r\n- Your Highlight on Location 4-5 | Added on x\r\n\r\nLook\r\n==========\r\n",
    "torn\r\nwords\r\n==========\r\nBook (A B)\r\n- Your Highlight on Location 4-5 | Added on x\r\n\r\nLook\r\n==========\r\n",
  ])
  func `any entry at the beginning identifies the file`(_ text: String) throws {
    let end = text.hasSuffix("==========\r\n") ? "" : "==========\r\n"
    let source = ImportSource(Array((text + end).utf8))
    #expect(KindleClippings().recognizes(source))
    let content = try KindleClippings().read(source)
    #expect(content.records.map(\.quote) == ["Look"])
    #expect(content.records.map(\.location) == ["location 4-5"])
  }

  @Test(arguments: [
    "Title\n==========\n- one | two\n- three\n", "a\n- x | y\n\nz\n==========\n",
    "==========\n==========\n",
    "- Your Highlight on Location 4-5 | Added on x\n\nLook\n==========\n",
  ])
  func `other text is not recognised`(_ text: String) {
    #expect(!KindleClippings().recognizes(ImportSource(Array(text.utf8))))
  }

  @Test func `byte order marks in the middle and other line ends are accepted`() throws {
    let text = entry("- Your Highlight on page 1 | Added on x")
    let content = try read(
      "\u{FEFF}" + text + "\u{FEFF}"
        + text.replacing("page 1", with: "page 2").replacing("\r", with: ""))
    #expect(content.records.map(\.title) == ["Book", "Book"])
    #expect(content.records.map(\.author) == ["A B", "A B"])
  }

  @Test func `titles can contain parentheses`() throws {
    func book(_ line: String) throws -> [String] {
      let record = try read(entry("- Your Highlight on page 1 | Added on x", of: line)).records[0]
      return [record.title, record.author]
    }
    #expect(try book("Signs (2nd ed.) (Reed, Ann)") == ["Signs (2nd ed.)", "Reed, Ann"])
    #expect(try book("Signs (Reed, Ann (ed.))") == ["Signs", "Reed, Ann (ed.)"])
    #expect(try book("Signs") == ["Signs", ""])
    #expect(try book("(Signs)") == ["(Signs)", ""])
  }
}
