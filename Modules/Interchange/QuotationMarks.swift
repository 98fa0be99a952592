/// The quotation marks that texts in a language use, with the blanks inside them.
///
/// ```swift
/// QuotationMarks(for: "Weniger ist mehr.").opening  // "„"
/// ```
package struct QuotationMarks: Hashable, Sendable {
  package let opening: String
  package let closing: String

  /// Finds the marks of a text by its script, and for Latin and Cyrillic letters by a guess of its
  /// language. O(length).
  ///
  /// The guess counts frequent words and letters that few languages have. English marks are the
  /// default if two languages have equal counts or a count is low.
  package init(for text: String) {
    switch QuoteScript(of: text) {
    case .japanese: self = .corners
    case .arabic: self = .angles
    case .hebrew: self.init("”", "”")
    case .chinese, .korean, .tall: self = .english
    case .plain: self = Self.guess(text)
    }
  }

  private init(_ opening: String, _ closing: String) {
    (self.opening, self.closing) = (opening, closing)
  }

  private static let english = QuotationMarks("“", "”")
  private static let angles = QuotationMarks("«", "»")
  /// French marks have narrow blanks inside, at which no line ends.
  private static let french = QuotationMarks("«\u{202F}", "\u{202F}»")
  private static let german = QuotationMarks("„", "“")
  private static let polish = QuotationMarks("„", "”")
  private static let swedish = QuotationMarks("”", "”")
  private static let corners = QuotationMarks("「", "」")

  // MARK: - Languages

  /// A language or several that share frequent words, with the marks of their texts.
  private struct Language {
    let marks: QuotationMarks
    let words: Set<Substring>
    /// The letters of the language that few others have.
    let letters: Set<Character>

    init(_ marks: QuotationMarks, letters: String = "", _ words: String) {
      (self.marks, self.letters) = (marks, Set(letters))
      self.words = Set(words.split(separator: " "))
    }
  }

  private static let latin: [Language] = [
    Language(
      .english,
      "the of and to in is that it was he she for on are as with his her they be at have this from "
        + "or had by not but what all were when we there can an your which their said if will do "
        + "each how them than then its who more no my me you i so"),
    Language(
      .german, letters: "ß",
      "der die das und ist nicht ein eine einen einem einer zu den dem des von mit sich auf für im "
        + "in es er sie ich wir ihr als auch an wie mehr wenn nur noch aus nach bei hat war sind man "
        + "aber so wird durch kann dass werden was wer alle denn über ihn mir mich du"),
    Language(
      .french, letters: "œêèçùûîï",
      "le la les de des du et est un une que qui en ne pas je il elle nous vous ils se ce cette dans "
        + "pour sur avec plus par au aux mais ou où sont son sa ses on tout comme si leur rien moi "
        + "être fait bien était même à me suis mon ma mes sans"),
    Language(
      .angles, letters: "ñ¿¡",
      "el la los las de del y es un una que en no se lo por con para su al como más pero sus le ya "
        + "o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde "
        + "todo nos era fue yo ha cuyo"),
    Language(
      .angles, letters: "òì",
      "il lo la i gli le di del della dei delle e è un una uno che in non si per con su al alla nel "
        + "nella come più ma sono mi ci da anche se questo quella era ha ho tutto cosa perché quando "
        + "suo sua chi io nostra"),
    Language(
      .polish, letters: "łąęśźż",
      "nie to się w na i z do że jest jak co o za po ale od tak już tylko przez dla czy był ma jego"
    ),
    Language(
      .german, letters: "řůěťď",
      "a se na je že v to s z do o jako ale by si pro tak když jsem ve k po bylo který není"),
    Language(
      .polish, letters: "őű",
      "a az és nem egy hogy is ez meg de csak volt már még van mint el ki ha minden vagy"),
    Language(
      .polish, letters: "țșţ",
      "și de în nu că la o un cu pe din se este mai care ca să sunt ce pentru fi am fost dar"),
    Language(
      .swedish, letters: "å",
      "och att det i en jag som han är på inte den var med för de till om så men ett hon av ja ty"),
    Language(
      .swedish, "ja on ei se että hän oli mutta kun ovat niin kuin minä sen en joka mitä ole kaikki"
    ),
    Language(
      .angles, letters: "øæ",
      "og det i er en at som på de han til av ikke jeg med for den var et om hun så men seg har"),
    Language(
      .english, letters: "ãõ",
      "o a os as de do da dos das e é um uma que em não se por com para mais como mas ao na no"),
    Language(
      .english,
      "de het een en van ik is dat niet in te zijn op die voor met er maar om aan ook als dan je"),
    Language(.english, letters: "ơưđ", "và là của có không được người một những cho trong"),
    Language(.english, letters: "ğış", "bir ve bu da de için ne o çok ile ama gibi daha var ben"),
  ]

  private static let cyrillic: [Language] = [
    Language(.angles, letters: "ыэё", "и в не на что он с как это но я все по из она так его"),
    Language(.angles, letters: "іїєґ", "і в не на що з як це та до але я за він"),
    Language(.german, "и в не на се да е от че за ще са със съм във като това си"),
    Language(.german, letters: "ђјљњћџѓќѕ", "и у је да се на не за су од"),
  ]

  /// Returns the marks of a text in Latin, Cyrillic, Greek or other letters.
  private static func guess(_ text: String) -> QuotationMarks {
    var letters: [Character: Int] = [:]
    var words: [Substring: Int] = [:]
    let lowercase = text.prefix(longest).lowercased()
    for letter in lowercase where letter.isLetter || "¿¡".contains(letter) {
      letters[letter, default: 0] += 1
    }
    for word in lowercase.split(whereSeparator: { !$0.isLetter }) { words[word, default: 0] += 1 }
    func count(_ range: ClosedRange<UInt32>) -> Int {
      letters.reduce(0) {
        $0 + (range.contains($1.key.unicodeScalars.first!.value) ? $1.value : 0)
      }
    }
    let (greek, slavic) = (count(0x370...0x3FF) + count(0x1F00...0x1FFF), count(0x400...0x52F))
    let all = letters.values.reduce(0, +)
    if greek * 2 > all { return angles }
    let isCyrillic = slavic * 2 > all
    let points = (isCyrillic ? cyrillic : latin).map { language in
      (
        marks: language.marks,
        count: language.words.reduce(0) { $0 + (words[$1] ?? 0) * 2 }
          + language.letters.reduce(0) { $0 + min(2, letters[$1] ?? 0) * 2 }
      )
    }
    let usual = isCyrillic ? angles : english
    guard let most = points.map(\.count).max(), most >= (isCyrillic ? 2 : 4) else { return usual }
    let best = Set(points.filter { $0.count == most }.map(\.marks))
    return best.count == 1 ? best.first! : usual
  }

  /// The number of characters from which the language is guessed.
  private static let longest = 2_000
}
