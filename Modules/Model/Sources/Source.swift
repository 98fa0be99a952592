/// The bibliographic source of a document: the work whose text, or part of whose text, it is.
///
/// A source has the variables of a CSL-JSON item (citationstyles.org, schema 1.0.2), each in the
/// form that CSL-JSON defines. Variables that Diple does not use are kept unchanged.
///
/// ```swift
/// var source = Source()
/// source.set(.author, typed: "Thoreau, Henry David")
/// source.set(.issued, typed: "1854")
/// source.text(.author)  // "Thoreau, Henry David"
/// ```
package struct Source: Hashable, Sendable {
  /// The name of a CSL-JSON variable.
  package struct Variable: Hashable, Sendable, RawRepresentable, Comparable {
    package var rawValue: String

    /// Creates a variable; nil unless the name has 1 … 64 characters, all of them ASCII letters,
    /// digits, `-` or `_`.
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

    /// The type of work, such as `book`, `article-journal` or `webpage`.
    package static let type = Variable("type")
    /// The key by which a bibliography refers to the work: BibTeX's key, CSL's `id`.
    package static let citationKey = Variable("citation-key")
    /// The title of the work.
    package static let title = Variable("title")
    /// The title of the work without its subtitle, or a shortened one.
    package static let shortTitle = Variable("title-short")
    package static let author = Variable("author")
    /// The editors of the work that contains it.
    package static let editor = Variable("editor")
    package static let translator = Variable("translator")
    /// The date of publication.
    package static let issued = Variable("issued")
    /// The date on which the work was retrieved.
    package static let accessed = Variable("accessed")
    /// The journal, book or site that contains the work.
    package static let container = Variable("container-title")
    /// The series that contains the work.
    package static let collection = Variable("collection-title")
    package static let publisher = Variable("publisher")
    /// The place of publication.
    package static let publisherPlace = Variable("publisher-place")
    /// The edition, as a number or words.
    package static let edition = Variable("edition")
    /// The volume of the journal, book or series.
    package static let volume = Variable("volume")
    /// The issue of the journal.
    package static let issue = Variable("issue")
    /// The page range within the containing work.
    package static let page = Variable("page")
    /// The chapter number, if the document is a chapter.
    package static let chapter = Variable("chapter-number")
    /// The address of the work.
    package static let url = Variable("URL")
    /// The digital object identifier (DOI) without the address of a resolver.
    package static let doi = Variable("DOI")
    /// The book number (ISBN).
    package static let isbn = Variable("ISBN")
    /// The number of the journal (ISSN).
    package static let issn = Variable("ISSN")
    /// The language of the work.
    package static let language = Variable("language")
    package static let abstract = Variable("abstract")
    /// Keywords for the subject of the work.
    package static let keyword = Variable("keyword")
    /// A remark about the work.
    package static let note = Variable("note")

    /// The variables whose values are lists of names.
    package static let names: Set<Variable> = [
      .author, .editor, .translator, Variable("collection-editor"), Variable("container-author"),
      Variable("composer"), Variable("director"), Variable("illustrator"), Variable("interviewer"),
      Variable("original-author"), Variable("recipient"), Variable("reviewed-author"),
      Variable("contributor"), Variable("editorial-director"), Variable("chair"),
    ]

    /// The variables whose values are dates.
    package static let dates: Set<Variable> = [
      .issued, .accessed, Variable("submitted"), Variable("original-date"), Variable("event-date"),
      Variable("available-date"),
    ]

    package static func < (a: Variable, b: Variable) -> Bool { a.rawValue < b.rawValue }
  }

  /// The types of work that CSL 1.0.2 defines.
  package static let kinds: Set<String> = [
    "article", "article-journal", "article-magazine", "article-newspaper", "bill", "book",
    "broadcast", "chapter", "classic", "collection", "dataset", "document", "entry",
    "entry-dictionary", "entry-encyclopedia", "event", "figure", "graphic", "hearing", "interview",
    "legal_case", "legislation", "manuscript", "map", "motion_picture", "musical_score", "pamphlet",
    "paper-conference", "patent", "performance", "periodical", "personal_communication", "post",
    "post-weblog", "regulation", "report", "review", "review-book", "software", "song", "speech",
    "standard", "thesis", "treaty", "webpage",
  ]

  /// The values of the variables. A variable without a value has no entry, so no value is `null`.
  package private(set) var values: [Variable: JSONValue] = [:]

  package init() {}

  /// Reads a CSL-JSON item; nil if it isn't an object.
  ///
  /// Without a `citation-key`, the item's `id` is used as the key. Members whose names are not
  /// valid variables are ignored.
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

  /// The source as a CSL-JSON item, without an `id`.
  package var item: JSONValue {
    .object(Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) }))
  }

  /// Whether no variable has a value.
  package var isEmpty: Bool { values.isEmpty }

  /// The value of a variable; nil if it has none. Setting nil, `null`, or an empty string, array or
  /// object removes the value.
  package subscript(variable: Variable) -> JSONValue? {
    get { values[variable] }
    set {
      switch newValue {
      case .null, .text(""), .list([]), .object([:]): values[variable] = nil
      default: values[variable] = newValue
      }
    }
  }

  /// Returns the value of a variable as one line of text; empty if it has none. Names are separated
  /// by `; `.
  package func text(_ variable: Variable) -> String {
    guard let value = values[variable] else { return "" }
    if Variable.names.contains(variable) {
      return names(variable).map(\.inverted).joined(separator: "; ")
    }
    if Variable.dates.contains(variable) { return SourceDate(value)?.description ?? "" }
    if let list = value.list { return list.map(\.text).joined(separator: ", ") }
    return value.text.oneLine
  }

  /// Returns the names in a variable's value; empty if it has none.
  package func names(_ variable: Variable) -> [PersonName] {
    values[variable]?.values.compactMap(PersonName.init) ?? []
  }

  /// Sets the names in a variable's value. An empty list removes the value.
  package mutating func set(_ variable: Variable, to names: [PersonName]) {
    self[variable] = .list(names.map(\.value))
  }

  /// Returns the date in a variable's value; nil if it has none or isn't valid.
  package func date(_ variable: Variable) -> SourceDate? {
    values[variable].flatMap(SourceDate.init)
  }

  /// Sets a variable from the text that a user typed: names as `Family, Given; …` or
  /// `Given Family`, dates as `2024-05-01`, and other values unchanged. Empty text removes the
  /// value.
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

  /// Returns this source with the values of another source for the variables that have no value in
  /// this source.
  package func completed(by other: Source) -> Source {
    var whole = self
    whole.values.merge(other.values) { mine, _ in mine }
    return whole
  }

  /// Returns a DOI without the resolver's address or the `doi:` that often precedes it.
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

  /// Returns an ISBN as 13 digits without hyphens. A text with another number of digits than 10 is
  /// returned with only its digits and `X`.
  ///
  /// By ISO 2108, an ISBN of 10 digits is converted by putting `978` before it and replacing its
  /// check digit.
  package static func isbn13(_ text: String) -> String {
    let digits = text.uppercased().filter { $0.isASCII && ($0.isNumber || $0 == "X") }
    guard digits.count == 10 else { return digits }
    let start = "978" + digits.dropLast()
    return start + String(checkDigit(start))
  }

  /// Whether a text is a valid ISBN: 10 or 13 digits with a correct check digit. Hyphens and spaces
  /// are ignored.
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
