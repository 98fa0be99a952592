/// The words that Kindles write around clippings, in all their languages.
enum ClippingWords {
  /// The kinds of entries.
  enum Kind { case highlight, note, bookmark, article }

  /// Returns the kind of an entry from its line in lower case; nil if the line contains none of the
  /// words.
  static func kind(of line: String) -> Kind? {
    for (kind, words) in kinds where words.contains(where: line.contains) { return kind }
    return nil
  }

  /// The words of each kind, in the order in which they are tried: "Markierung" before "mark".
  /// Notes are last, because their words are short.
  private static let kinds: [(Kind, [String])] = [
    (
      .highlight,
      [
        "highlight", "markierung", "surlign", "subrayado", "resaltado", "evidenziazione",
        "destaque",
        "markering", "ハイライト", "标注", "標註", "выделен", "vurgu", "zaznaczenie", "podkreślenie",
        "하이라이트", "zvýraznění", "हाइलाइट",
      ]
    ),
    (.article, ["clip", "ausschnitt", "recorte"]),
    (
      .bookmark,
      [
        "bookmark", "lesezeichen", "signet", "marcador", "segnalibro", "bladwijzer", "bokmärke",
        "ブックマーク", "书签", "書籤", "закладка", "yer imi", "zakładka", "책갈피", "북마크", "záložka",
        "बुकमार्क",
      ]
    ),
    (
      .note,
      [
        "note", "notiz", "nota", "notitie", "anteckning", "メモ", "笔记", "筆記", "註記", "замет",
        "notatk", "메모", "poznámka", "नोट", "not ", "notu", "notun",
      ]
    ),
  ]

  /// Words before the number of a page.
  static let pages = [
    "page", "seite", "página", "pagina", "sida", "страниц", "sayfa", "strona", "stronie", "stronę",
    "페이지", "stran", "पृष्ठ",
  ]
  /// Words after the number of a page.
  static let pagesAfter = ["ページ", "页", "頁", "페이지", ". sayfa"]

  /// The number of each month, from 1, by its name in lower case.
  static let months: [String: Int] = {
    let names = [
      "january jan januar janvier janv enero gennaio gen janeiro januari января январь ocak stycznia"
        + " styczeń leden ledna",
      "february feb februar février févr febrero febbraio fevereiro februari февраля февраль şubat"
        + " lutego luty února",
      "march mar märz mars marzo março maart марта март mart marca marzec března",
      "april apr avril avr abril aprile апреля апрель nisan kwietnia kwiecień dubna",
      "may mai mayo maggio maio mei maj мая май mayıs maja května",
      "june jun juni juin junio giugno junho июня июнь haziran czerwca czerwiec června",
      "july jul juli juillet juil julio luglio julho июля июль temmuz lipca lipiec července",
      "august aug août agosto augustus augusti августа август ağustos sierpnia sierpień srpna",
      "september sep sept septembre septiembre settembre setembro сентября сентябрь eylül września"
        + " wrzesień září",
      "october oct oktober octobre octubre ottobre outubro октября октябрь ekim października"
        + " październik října",
      "november nov novembre noviembre novembro ноября ноябрь kasım listopada listopad listopadu",
      "december dec dezember décembre déc diciembre dicembre dezembro декабря декабрь aralık grudnia"
        + " grudzień prosince",
    ]
    var months: [String: Int] = [:]
    for (index, words) in names.enumerated() {
      for word in words.split(separator: " ") { months[String(word)] = index + 1 }
    }
    return months
  }()

  /// The words for the halves of the day, in lower case, and whether they name the second half.
  static let halves: [(word: String, isSecond: Bool)] = [
    ("上午", false), ("午前", false), ("오전", false), ("下午", true), ("午後", true), ("오후", true),
    ("a.m.", false), ("p.m.", true), ("am", false), ("pm", true),
  ]
}
