/// The second line of a Kindle clipping: "- Your Highlight on page 12 | Location 340-345 | Added on
/// Friday, 27 January 2023 05:56:46".
struct ClippingHead {
  /// The kind of the entry; nil if the language is unknown.
  var kind: ClippingWords.Kind?
  /// The page, which may be a Roman numeral; nil if the line contains none.
  var page: String?
  /// The first and the last location; nil if the line contains none.
  var location: ClosedRange<Int>?
  /// The time at which the entry was added; nil if it can't be parsed.
  var date: WrittenDate?

  /// Parses a line. O(length).
  init(_ line: String) {
    let line = line.lowercased()
    var parts = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    kind = ClippingWords.kind(of: parts.count > 1 ? parts.dropLast().joined(separator: "|") : line)
    if parts.count > 1 {
      date = Self.date(in: parts.removeLast())
    }
    for part in parts { readPlaces(in: part) }
  }

  /// The page and the location, such as "page 12 · location 340-345"; empty if the line has
  /// neither.
  var place: String {
    var place: String?
    if let location {
      place =
        "location \(location.lowerBound)"
        + (location.count > 1 ? "-\(location.upperBound)" : "")
    }
    return Formats.location(page.map { "page \($0)" }, place)
  }

  // MARK: - Places

  private mutating func readPlaces(in part: String) {
    let characters = Array(part)
    var index = 0
    var before = 0
    while index < characters.count {
      guard characters[index].isNumber, let first = Self.number(characters, &index) else {
        index += 1
        continue
      }
      let start = index - String(first).count
      var last = first
      if index + 1 < characters.count, "-–—".contains(characters[index]),
        characters[index + 1].isNumber
      {
        index += 1
        let digits = index
        let number = Self.number(characters, &index) ?? first
        // `145-46` omits the digits that both numbers share.
        var power = 1
        for _ in digits..<index { power = power < 1_000_000_000 ? power * 10 : power }
        last = number < first ? first - first % power + number : number
      }
      let words = String(characters[before..<max(before, start)])
      let after = String(characters[index..<min(index + 7, characters.count)])
        .drop(while: \.isWhitespace)
      let isPage =
        ClippingWords.pages.contains { words.contains($0) }
        || ClippingWords.pagesAfter.contains { after.hasPrefix($0) }
      if isPage {
        if page == nil { page = first == last ? "\(first)" : "\(first)-\(last)" }
      } else if location == nil {
        location = first...max(first, last)
      }
      before = index
    }
    if page == nil, location == nil { readRomanPage(in: part) }
  }

  private mutating func readRomanPage(in part: String) {
    let words = part.split { !$0.isLetter }
    for (word, next) in zip(words, words.dropFirst())
    where ClippingWords.pages.contains(String(word)) && next.allSatisfy("ivxlcdm".contains) {
      page = String(next)
      return
    }
  }

  private static func number(_ characters: [Character], _ index: inout Int) -> Int? {
    var value = 0
    let start = index
    while index < characters.count, let digit = characters[index].wholeNumberValue,
      characters[index].isASCII, index - start < 12
    {
      value = value * 10 + digit
      index += 1
    }
    return index > start ? value : nil
  }

  // MARK: - Dates

  /// Parses the date of an entry in any language of the Kindle; nil if it contains no valid date.
  static func date(in text: String) -> WrittenDate? {
    var rest = text
    let offset = takeZone(&rest)
    let clock = takeClock(&rest)
    var (hour, minute, second) = clock ?? (0, 0, 0)
    let half = ClippingWords.halves.first { word, _ in
      word.allSatisfy(\.isASCII)
        ? rest.split { !($0.isLetter || $0 == ".") }.contains(Substring(word))
        : rest.contains(word)
    }
    if let half, clock != nil {
      if half.isSecond, hour < 12 { hour += 12 }
      if !half.isSecond, hour == 12 { hour = 0 }
    }
    let numbers = rest.split { !$0.isNumber || !$0.isASCII }.compactMap { Int($0.prefix(9)) }
    let month = rest.split { !$0.isLetter }.lazy.compactMap {
      ClippingWords.months[String($0)]
    }.first
    var (year, day) = (0, 0)
    var monthNumber = month
    if month != nil {
      year = numbers.first { $0 >= 1900 } ?? 0
      day = numbers.first { (1...31).contains($0) } ?? 0
    } else if let first = numbers.first, first >= 1900, numbers.count >= 3 {
      (year, monthNumber, day) = (first, numbers[1], numbers[2])
    } else if numbers.count >= 3, numbers[2] >= 1900 {
      // Of the two orders, the valid one is used; if both are valid, the day precedes the month, as
      // in most countries.
      (day, monthNumber, year) = (numbers[0], numbers[1], numbers[2])
      if numbers[1] > 12 { (day, monthNumber) = (numbers[1], numbers[0]) }
    }
    guard let monthNumber else { return nil }
    return WrittenDate(
      year: year, month: monthNumber, day: day, hour: hour, minute: minute, second: second,
      offset: offset)
  }

  /// Removes a time zone such as `GMT-03:00` from a text and returns its offset in seconds; nil if
  /// there is no time zone.
  private static func takeZone(_ text: inout String) -> Int? {
    let found = text.firstRange(of: "gmt") ?? text.firstRange(of: "utc")
    guard let name = found else { return nil }
    let zone = text[name.upperBound...].prefix { "+-−:0123456789".contains($0) }
    let parts = zone.split { !$0.isNumber }.compactMap { Int($0.prefix(4)) }
    let whole = text[..<name.lowerBound] + " " + text[zone.endIndex...]
    text = String(whole)
    guard let hours = parts.first, hours <= 15 else { return 0 }
    let seconds = hours * 3600 + (parts.count > 1 ? parts[1] : 0) * 60
    return zone.hasPrefix("+") ? seconds : -seconds
  }

  /// Removes a time such as `05:56:46`, `23h32min06s` or `22 h 15 min 04 s` from a text and returns
  /// its hour, minute and second; nil if there is no time.
  private static func takeClock(_ text: inout String) -> (Int, Int, Int)? {
    let patterns = [
      #/([0-9]{1,2})[:.]([0-9]{2})[:.]([0-9]{2})/#,
      #/([0-9]{1,2}) ?h ?([0-9]{1,2}) ?(?:min|m) ?([0-9]{1,2})/#,
      #/([0-9]{1,2})[时時시] ?([0-9]{1,2})[分분] ?([0-9]{1,2})/#,
    ]
    for pattern in patterns {
      if let found = text.firstMatch(of: pattern) {
        text.removeSubrange(found.range)
        return (Int(found.1) ?? 0, Int(found.2) ?? 0, Int(found.3) ?? 0)
      }
    }
    if let found = text.firstMatch(of: #/([0-9]{1,2}):([0-9]{2})/#) {
      text.removeSubrange(found.range)
      return (Int(found.1) ?? 0, Int(found.2) ?? 0, 0)
    }
    return nil
  }
}

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

  /// The words of each kind, in the order in which the kinds are tried. Notes are last, because
  /// their short words also occur within other words.
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
      """
      january jan januar janvier janv enero gennaio gen janeiro januari января январь ocak \
      stycznia
      """
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
      """
      december dec dezember décembre déc diciembre dicembre dezembro декабря декабрь aralık \
      grudnia
      """
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
