import CSodium
import FoundationEssentials
import Model

/// The CSS rules for the formats of some documents, to be included in a page's style sheet. Each
/// value has one class, whose name depends only on the value, so sheets can be merged.
public struct HTMLFormatSheet: Sendable, Equatable {
  /// The order of the rules. A later rule overrides equally specific ones.
  enum Rank: Int, Sendable, Comparable {
    case defaults, style, direct, onHighlight

    static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  struct Key: Hashable, Sendable {
    var rank: Rank
    var name: String
  }

  private var rules: [Key: String] = [:]
  private var lost: Set<HTMLFormatLoss> = []

  /// Creates a sheet without rules.
  public init() {}

  /// Adds the rules for a class, unless the sheet already contains them.
  mutating func add(_ name: String, _ rank: Rank, _ rule: @autoclosure () -> String) {
    let key = Key(rank: rank, name: name)
    if rules[key] == nil { rules[key] = rule() }
  }

  /// Whether the sheet contains the rules for a class.
  func has(_ name: String, _ rank: Rank) -> Bool { rules[Key(rank: rank, name: name)] != nil }

  mutating func add(_ loss: HTMLFormatLoss) { lost.insert(loss) }

  /// Adds the rules of another sheet.
  public mutating func merge(_ other: HTMLFormatSheet) {
    rules.merge(other.rules) { own, _ in own }
    lost.formUnion(other.lost)
  }

  /// The rules, one on each line, in an order that depends only on the rules; empty if there are no
  /// rules. The text cannot close an HTML element. O(rules · log rules).
  public var css: String {
    let sorted = rules.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }
    return sorted.map { $0.value + "\n" }.joined()
  }

  /// The parts of the formats that CSS cannot represent, one line each.
  public var losses: [String] { HTMLFormatLoss.allCases.filter(lost.contains).map(\.rawValue) }

  /// Returns the source expression for a style sheet in a content security policy: `sha256-` and
  /// its digest.
  public static func policyName(of sheet: String) -> String {
    "sha256-" + Data(digest(of: sheet)).base64EncodedString()
  }

  /// Returns a class name for a value that is too long for a class name or may contain any
  /// character.
  static func name(for value: String) -> String {
    hexadecimal(digest(of: value).prefix(8))
  }

  private static func digest(of text: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    let bytes = Array(text.utf8)
    // The function cannot fail. It returns a status only for consistency with the library's other
    // hashes.
    _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }
}

/// The properties that CSS cannot represent or that browsers don't support.
enum HTMLFormatLoss: String, CaseIterable, Sendable {
  case tabStops = "tab stops: tabs lead to every eighth column"
  case lists = "list items that are not lists in the Markdown"
  case dashes = "underlines of dashes and dots: they are dashed"
  case contrast =
    "colours that cannot be read on their own background: the text is darker or lighter"
}
