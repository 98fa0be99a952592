import CSodium
import FoundationEssentials

/// The rules of CSS for the formats of some documents: what goes into the style sheet of a page. Each
/// value has one class, whose name follows from the value, so that sheets can be merged.
public struct HTMLFormatSheet: Sendable, Equatable {
  /// Which rules come later, and so win over equally specific ones.
  enum Rank: Int, Sendable, Comparable {
    case defaults, style, own, onHighlight

    static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  struct Key: Hashable, Sendable {
    var rank: Rank
    var name: String
  }

  private var rules: [Key: String] = [:]
  private var lost: Set<HTMLFormatLoss> = []

  /// A sheet without rules.
  public init() {}

  /// Adds the rules of a name unless it has them already.
  mutating func add(_ name: String, _ rank: Rank, _ rule: @autoclosure () -> String) {
    let key = Key(rank: rank, name: name)
    if rules[key] == nil { rules[key] = rule() }
  }

  /// Whether a name has its rules.
  func has(_ name: String, _ rank: Rank) -> Bool { rules[Key(rank: rank, name: name)] != nil }

  mutating func add(_ loss: HTMLFormatLoss) { lost.insert(loss) }

  /// Adds the rules of another sheet.
  public mutating func merge(_ other: HTMLFormatSheet) {
    rules.merge(other.rules) { own, _ in own }
    lost.formUnion(other.lost)
  }

  /// The rules, one a line, in an order that depends on nothing but them; empty for none. It has no sign
  /// that ends an element of HTML. O(rules · log rules).
  public var css: String {
    let sorted = rules.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }
    return sorted.map { $0.value + "\n" }.joined()
  }

  /// What of the formats CSS cannot say, one line each.
  public var losses: [String] { HTMLFormatLoss.allCases.filter(lost.contains).map(\.rawValue) }

  /// What stands for a style sheet in a policy of what a page may do: `sha256-` and its digest.
  public static func policyName(of sheet: String) -> String {
    "sha256-" + Data(digest(of: sheet)).base64EncodedString()
  }

  /// A name for a value that is too long or may hold anything.
  static func name(for value: String) -> String {
    digest(of: value).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func digest(of text: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    let bytes = Array(text.utf8)
    // It cannot fail: it only returns a status to fit the library's other hashes.
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }
}

/// What CSS cannot say, or browsers do not know.
enum HTMLFormatLoss: String, CaseIterable, Sendable {
  case tabStops = "tab stops: tabs lead to every eighth column"
  case lists = "items of lists that are no lists in the Markdown"
  case dashes = "underlines of dashes and dots: they are dashed"
  case contrast =
    "colours that cannot be read on their own background: the text is darker or lighter"
}
