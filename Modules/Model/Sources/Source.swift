/// What work a document is the text of, or a part of, as a bibliography says it: the variables of one
/// item of CSL-JSON (citationstyles.org, schema 1.0.2), each in the form that it has there. Variables
/// that Diple does not read are kept as they are.
package struct Source: Hashable, Sendable {
  /// A variable of CSL-JSON by its name.
  package struct Variable: Hashable, Sendable, RawRepresentable, Comparable {
    /// The name.
    package var rawValue: String

    /// Takes a name; nil for what is none: letters, digits, `-` and `_`, at most 64.
    package init?(rawValue: String) {
      guard (1...64).contains(rawValue.utf8.count),
        rawValue.utf8.allSatisfy({
          switch $0 {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
          default: false
          }
        })
      else { return nil }
      self.rawValue = rawValue
    }

    private init(_ name: String) { rawValue = name }

    /// The kind of work: `book`, `article-journal`, `webpage`.
    package static let type = Variable("type")
    /// The name by which a bibliography knows it: BibTeX's key, CSL's `id`.
    package static let citationKey = Variable("citation-key")
    /// The title.
    package static let title = Variable("title")
    /// Those who wrote it.
    package static let author = Variable("author")
    /// Those who edited what it stands in.
    package static let editor = Variable("editor")
    /// Those who translated it.
    package static let translator = Variable("translator")
    /// When it came out.
    package static let issued = Variable("issued")
    /// When it was fetched.
    package static let accessed = Variable("accessed")
    /// The journal, the book or the site that it stands in.
    package static let container = Variable("container-title")
    /// The series that it belongs to.
    package static let collection = Variable("collection-title")
    /// Who published it.
    package static let publisher = Variable("publisher")
    /// Where.
    package static let publisherPlace = Variable("publisher-place")
    /// The edition.
    package static let edition = Variable("edition")
    /// The volume.
    package static let volume = Variable("volume")
    /// The issue of a journal.
    package static let issue = Variable("issue")
    /// The pages that it has there.
    package static let page = Variable("page")
    /// The chapter, where the document is one.
    package static let chapter = Variable("chapter-number")
    /// Its address.
    package static let url = Variable("URL")
    /// Its digital object identifier, without an address before it.
    package static let doi = Variable("DOI")
    /// Its book number.
    package static let isbn = Variable("ISBN")
    /// Its journal's number.
    package static let issn = Variable("ISSN")
    /// Its language.
    package static let language = Variable("language")
    /// What it is about, in short.
    package static let abstract = Variable("abstract")
    /// Words that say what it is about.
    package static let keyword = Variable("keyword")
    /// A remark on it.
    package static let note = Variable("note")

    /// Those whose values are names of people.
    package static let names: Set<Variable> = [
      .author, .editor, .translator, Variable("collection-editor"), Variable("container-author"),
      Variable("composer"), Variable("director"), Variable("illustrator"), Variable("interviewer"),
      Variable("original-author"), Variable("recipient"), Variable("reviewed-author"),
      Variable("contributor"), Variable("editorial-director"), Variable("chair"),
    ]

    /// Those whose values are dates.
    package static let dates: Set<Variable> = [
      .issued, .accessed, Variable("submitted"), Variable("original-date"), Variable("event-date"),
      Variable("available-date"),
    ]

    package static func < (a: Variable, b: Variable) -> Bool { a.rawValue < b.rawValue }
  }

  /// The kinds of work that CSL 1.0.2 knows.
  package static let kinds: Set<String> = [
    "article", "article-journal", "article-magazine", "article-newspaper", "bill", "book",
    "broadcast", "chapter", "classic", "collection", "dataset", "document", "entry",
    "entry-dictionary", "entry-encyclopedia", "event", "figure", "graphic", "hearing", "interview",
    "legal_case", "legislation", "manuscript", "map", "motion_picture", "musical_score", "pamphlet",
    "paper-conference", "patent", "performance", "periodical", "personal_communication", "post",
    "post-weblog", "regulation", "report", "review", "review-book", "software", "song", "speech",
    "standard", "thesis", "treaty", "webpage",
  ]

  /// What each variable says; none says `null`.
  package private(set) var values: [Variable: JSONValue] = [:]

  /// Makes a source of which nothing is known.
  package init() {}

  /// Makes one of an item of CSL-JSON; nil for what is no object. Its `id` is its citation key; keys
  /// that are no names of variables are left out.
  package init?(item: JSONValue) {
    guard case .object(let object) = item else { return nil }
    for (name, value) in object where name != "id" {
      if let variable = Variable(rawValue: name) { self[variable] = value }
    }
    if self[.citationKey] == nil {
      let id = item["id"].text
      if !id.isEmpty { self[.citationKey] = .text(id) }
    }
  }

  /// The item of CSL-JSON, without an `id`.
  package var item: JSONValue {
    .object(Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) }))
  }

  /// Whether nothing is known of it.
  package var isEmpty: Bool { values.isEmpty }

  /// What a variable says; nil takes it away, and so do `null` and an empty text or list.
  package subscript(variable: Variable) -> JSONValue? {
    get { values[variable] }
    set {
      switch newValue {
      case .null, .text(""), .list([]), .object([:]): values[variable] = nil
      default: values[variable] = newValue
      }
    }
  }

  /// What a variable says in one line of text; empty where it says nothing. Names are joined by `; `.
  package func text(_ variable: Variable) -> String {
    guard let value = values[variable] else { return "" }
    if Variable.names.contains(variable) {
      return names(variable).map(\.inverted).joined(separator: "; ")
    }
    if Variable.dates.contains(variable) { return SourceDate(value)?.description ?? "" }
    if let list = value.list { return list.map(\.text).joined(separator: ", ") }
    return value.text.oneLine
  }

  /// The people that a variable names.
  package func names(_ variable: Variable) -> [PersonName] {
    values[variable]?.values.compactMap(PersonName.init) ?? []
  }

  /// Says which people a variable names.
  package mutating func set(_ variable: Variable, to names: [PersonName]) {
    self[variable] = .list(names.map(\.value))
  }

  /// A date that a variable says; nil where it says none.
  package func date(_ variable: Variable) -> SourceDate? {
    values[variable].flatMap(SourceDate.init)
  }

  /// Says a variable in the form in which a person types it: people as `Family, Given; …` or
  /// `Given Family`, dates as `2024-05-01`, all else as it is. Empty text takes the variable away.
  package mutating func set(_ variable: Variable, typed text: String) {
    let text = text.oneLine
    if Variable.names.contains(variable) {
      set(variable, to: PersonName.list(text))
    } else if Variable.dates.contains(variable) {
      self[variable] = text.isEmpty ? nil : SourceDate(text).value
    } else if variable == .doi {
      self[variable] = .text(Self.bareDOI(text))
    } else {
      self[variable] = .text(text)
    }
  }

  /// This, and where it says nothing what another says.
  package func completed(by other: Source) -> Source {
    var whole = self
    whole.values.merge(other.values) { mine, _ in mine }
    return whole
  }

  /// A DOI without the address or the prefix that is often written before it.
  package static func bareDOI(_ text: String) -> String {
    let lower = text.lowercased()
    for prefix in [
      "https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/",
      "doi.org/",
      "doi:",
    ] where lower.hasPrefix(prefix) {
      return text.dropFirst(prefix.count).oneLine
    }
    return text
  }

  /// A book number of 13 digits, without hyphens; what is no book number as it is, in capitals.
  ///
  /// ISO 2108: one of 10 digits is that of 13 behind `978`, with another check digit.
  package static func isbn13(_ text: String) -> String {
    let digits = text.uppercased().filter { $0.isASCII && ($0.isNumber || $0 == "X") }
    guard digits.count == 10 else { return digits }
    let start = "978" + digits.dropLast()
    return start + String(checkDigit(start))
  }

  /// Whether a book number is one: 10 or 13 digits, of which the last checks the others.
  package static func isISBN(_ text: String) -> Bool {
    let digits = text.uppercased().filter { !"- ‐‑–".contains($0) }
    guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "X") }) else { return false }
    if digits.count == 13 {
      return digits.last?.wholeNumberValue == checkDigit(String(digits.dropLast()))
    }
    guard digits.count == 10 else { return false }
    let sum = digits.enumerated().reduce(0) { sum, digit in
      sum + (10 - digit.offset) * (digit.element == "X" ? 10 : digit.element.wholeNumberValue!)
    }
    return sum % 11 == 0 && !digits.dropLast().contains("X")
  }

  private static func checkDigit(_ digits: String) -> Int {
    let sum = digits.enumerated().reduce(0) {
      $0 + ($1.offset % 2 == 0 ? 1 : 3) * ($1.element.wholeNumberValue ?? 0)
    }
    return (10 - sum % 10) % 10
  }
}
