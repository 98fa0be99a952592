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

  /// The dashes that begin the line. Russian has an en dash.
  private static let dashes: Set<Character> = ["-", "–", "—", "−"]

  /// Returns whether a line begins like the head of an entry, with a dash.
  static func begins(_ line: String) -> Bool { line.first.map(dashes.contains) ?? false }

  /// Returns whether a line is certainly the head of an entry: its language is known, or it has a
  /// place.
  static func recognizes(_ line: String) -> Bool {
    guard begins(line), line.contains("|"), line.utf8.count <= limit else { return false }
    let head = ClippingHead(line)
    return head.kind != nil || !head.place.isEmpty
  }

  /// The maximum length of a head in bytes.
  static let limit = 1000

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
      let start = index
      guard characters[index].isNumber, let first = Self.number(characters, &index) else {
        index += 1
        continue
      }
      var last = first
      if let next = Self.rangeEnd(characters, index) {
        index = next
        let digits = index
        let number = Self.number(characters, &index) ?? first
        // `145-46` omits the digits that both numbers share.
        var power = 1
        for _ in digits..<index { power = power < 1_000_000_000 ? power * 10 : power }
        last = number < first ? first - first % power + number : number
      }
      let words = String(characters[before..<max(before, start)])
      let after = String(characters[index..<min(index + 9, characters.count)])
        .drop { $0.isWhitespace || $0 == "." }
      let isPage =
        ClippingWords.isPage(before: words)
        || ClippingWords.pagesAfter.contains { after.hasPrefix($0) }
      if isPage, page == nil {
        page = first == last ? "\(first)" : "\(first)-\(last)"
      } else if location == nil {
        location = first...max(first, last)
      }
      before = index
    }
    if page == nil { readRomanPage(in: part) }
  }

  /// Returns the index of the second number of a range such as `40-41`, `40–41`, `40～41` or
  /// `40 t/m 41`; nil if no range continues at the index.
  private static func rangeEnd(_ characters: [Character], _ index: Int) -> Int? {
    var next = index
    func skipBlanks() {
      while next < characters.count, next - index < 8, characters[next].isWhitespace { next += 1 }
    }
    skipBlanks()
    if next < characters.count, "-–—~～〜".contains(characters[next]) {
      next += 1
    } else if characters[next...].starts(with: "t/m") {
      next += 3
    } else {
      return nil
    }
    skipBlanks()
    return next < characters.count && characters[next].isNumber && characters[next].isASCII
      ? next : nil
  }

  /// Sets the page of a part such as "page xii", "página xiv-xv" or "第 xii 页".
  private mutating func readRomanPage(in part: String) {
    let words = part.split { !$0.isLetter && !"-–—".contains($0) }
    for (index, word) in words.enumerated() {
      let ends = word.split(whereSeparator: "-–—".contains)
      guard (1...2).contains(ends.count), ends.allSatisfy(Self.isRoman) else { continue }
      let follows = index > 0 && ClippingWords.isPage(before: String(words[index - 1]))
      let precedes =
        index + 1 < words.count
        && ClippingWords.pagesAfter.contains { words[index + 1].hasPrefix($0) }
      guard follows || precedes else { continue }
      page = ends.joined(separator: "-")
      let next = words[(index + 1)...].prefix(3)
      if ends.count == 1, next.starts(with: ["t", "m"]), next.count == 3,
        let last = next.last, Self.isRoman(last)
      {
        page? += "-\(last)"
      }
      return
    }
  }

  /// Returns whether a word is a Roman numeral in lower case.
  private static func isRoman(_ word: Substring) -> Bool {
    word.utf8.count < 16 && word.allSatisfy("ivxlcdm".contains)
      && word.wholeMatch(
        of: #/m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})/#) != nil
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
    // Newer Kindles write no-break spaces, which regular expressions don't take for boundaries.
    var rest = String(text.map { $0.isWhitespace ? " " : $0 })
    let offset = takeZone(&rest)
    let clock = takeClock(&rest)
    // Spanish divides the word with a space: `7:12:13 p. m.`.
    if rest.contains("m.") { rest.replace(#/\b([ap])\.\s*m\./#) { "\($0.1)m" } }
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
      day = numbers.first { (1...31).contains($0) } ?? 0
      let others = numbers.drop { $0 != day }.dropFirst()
      year = numbers.first { $0 >= 1900 } ?? others.first.map(Self.fullYear) ?? 0
    } else if numbers.count >= 3 {
      var parts = Array(numbers.prefix(3))
      // The year is first or last. Two digits are certainly a year if they can't be a day, or if
      // the last number would be a year before the first Kindle.
      let isFirst =
        parts[0] > 31 || parts[2] < Self.firstYear % 100 && parts[0] >= Self.firstYear % 100
      if isFirst { parts = [parts[2], parts[1], parts[0]] }
      (day, monthNumber, year) = (parts[0], parts[1], Self.fullYear(parts[2]))
      // Of the two orders of day and month, the valid one is used; if both are valid, the day
      // precedes the month, as in most countries.
      if parts[1] > 12 { (day, monthNumber) = (parts[1], parts[0]) }
    }
    guard let monthNumber else { return nil }
    return WrittenDate(
      year: year, month: monthNumber, day: day, hour: hour, minute: minute, second: second,
      offset: offset)
  }

  /// The year in which the first Kindle was sold.
  private static let firstYear = 2007

  /// Returns a year of this century for one or two digits.
  private static func fullYear(_ number: Int) -> Int { number < 100 ? 2000 + number : number }

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

  // Each evaluation of a literal parses the expression again. Matching changes no state.
  nonisolated(unsafe) private static let clocks = [
    #/([0-9]{1,2}):([0-9]{2}):([0-9]{2})/#,
    #/([0-9]{1,2}) ?h ?([0-9]{1,2}) ?(?:min|m) ?([0-9]{1,2})/#,
    #/([0-9]{1,2})[时時시] ?([0-9]{1,2})[分분] ?([0-9]{1,2})/#,
  ]

  /// Removes a time such as `05:56:46`, `23h32min06s` or `22 h 15 min 04 s` from a text and returns
  /// its hour, minute and second; nil if there is no time.
  private static func takeClock(_ text: inout String) -> (Int, Int, Int)? {
    for pattern in clocks {
      if let found = text.firstMatch(of: pattern) {
        text.removeSubrange(found.range)
        return (Int(found.1) ?? 0, Int(found.2) ?? 0, Int(found.3) ?? 0)
      }
    }
    if let found = text.firstMatch(of: #/([0-9]{1,2}):([0-9]{2})/#) {
      text.removeSubrange(found.range)
      return (Int(found.1) ?? 0, Int(found.2) ?? 0, 0)
    }
    // A date can have full stops, too; the time is after it.
    if let found = text.matches(of: #/([0-9]{1,2})\.([0-9]{2})\.([0-9]{2})/#).last {
      text.removeSubrange(found.range)
      return (Int(found.1) ?? 0, Int(found.2) ?? 0, Int(found.3) ?? 0)
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
        "하이라이트", "zvýraznění", "हाइलाइट", "underline", "circle", "asterisk",
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

  /// Returns whether the words before a number announce a page. If they contain several of the
  /// words, the last one counts, as in `ページの位置`.
  static func isPage(before words: String) -> Bool {
    guard let page = pages.lazy.compactMap({ words.ranges(of: $0).last?.lowerBound }).max() else {
      return false
    }
    let after = words[page...]
    return !locations.contains { after.contains($0) }
  }

  /// Words before the number of a page.
  static let pages = [
    "page", "seite", "página", "pagina", "sida", "страниц", "sayfa", "strona", "stronie", "stronę",
    "페이지", "stran", "पृष्ठ", "ページ", "第",
  ]
  /// Words before a location.
  private static let locations = [
    "loc", "pos", "posizione", "emplacement", "位置", "мест", "konum", "pozycj", "위치", "pozice",
    "स्थान", "plats",
  ]
  /// Words after the number of a page.
  static let pagesAfter = ["ページ", "页", "頁", "페이지", "sayfa", "strona", "oldal"]

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
    ("पूर्वाह्न", false), ("अपराह्न", true), ("上午", false), ("午前", false), ("오전", false), ("下午", true),
    ("午後", true), ("오후", true),
    ("a.m.", false), ("p.m.", true), ("am", false), ("pm", true),
  ]
}
