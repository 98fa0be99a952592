/// What every plugin says of itself. Each of the nine protocols refines this one and adds one
/// requirement of its own; the examples are the strategy's tests and its documentation.
public protocol Strategy: Sendable {
  /// What an example looks like for this kind of strategy.
  associatedtype Example: Sendable

  /// The name by which it is chosen: lower-case words joined by `-`.
  static var id: String { get }
  /// One line that says what it does.
  static var summary: String { get }
  /// Inputs with the results they must give; at least one.
  static var examples: [Example] { get }
}

/// An ordered table of strategies of one kind: a value that is built and passed, never global.
package struct Registry<Element: Sendable>: Sendable {
  /// A strategy with its name.
  package struct Entry: Sendable {
    /// The name by which it is chosen.
    package var id: String
    /// One line that says what it does.
    package var summary: String
    /// The strategy.
    package var strategy: Element
  }

  /// What the strategies are called in messages, in the singular: `renderer`.
  package let kind: String
  /// In the order of registration.
  package private(set) var entries: [Entry] = []

  /// Makes an empty table.
  package init(kind: String) { self.kind = kind }

  /// Appends a strategy. Traps when the id is taken: that is a programmer's mistake.
  ///
  /// - Parameters:
  ///   - strategy: what is kept.
  ///   - type: the strategy's type, which says its id and summary.
  package mutating func register<Type: Strategy>(_ strategy: Element, as type: Type.Type) {
    precondition(
      !entries.contains { $0.id == type.id }, "the \(kind) '\(type.id)' is registered twice")
    entries.append(Entry(id: type.id, summary: type.summary, strategy: strategy))
  }

  /// Appends a strategy that is only known when the program runs. False, and nothing is done, when
  /// the id is taken.
  @discardableResult
  package mutating func register(_ strategy: Element, _ id: String, _ summary: String) -> Bool {
    if entries.contains(where: { $0.id == id }) { return false }
    entries.append(Entry(id: id, summary: summary, strategy: strategy))
    return true
  }

  /// The strategies in the order of registration.
  package var all: [Element] { entries.map(\.strategy) }

  /// The strategy with an id.
  ///
  /// - Throws: `UnknownStrategy`, which lists the valid ids and the nearest one.
  package func strategy(_ id: String) throws(UnknownStrategy) -> Element {
    guard let entry = entries.first(where: { $0.id == id }) else {
      throw UnknownStrategy(kind: kind, id: id, known: entries.map(\.id))
    }
    return entry.strategy
  }
}

/// A strategy that could not do its work: a program that crashed, or took too long.
public struct StrategyFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: which, and why.
  public var description: String
  /// Makes a failure of a line.
  public init(_ description: String) { self.description = description }
}

/// An id that no registered strategy has.
package struct UnknownStrategy: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was looked for, in the singular.
  package var kind: String
  /// The id that was asked for.
  package var id: String
  /// The ids that there are.
  package var known: [String]

  /// Makes the error of its parts.
  package init(kind: String, id: String, known: [String]) {
    self.kind = kind
    self.id = id
    self.known = known
  }

  /// The known id with the fewest differing letters, when it is near enough to be a slip.
  package var nearest: String? { nearestMatch(to: id, among: known) }

  /// One line: what, and what there is instead.
  package var description: String {
    let hint = nearest.map { "; did you mean '\($0)'?" } ?? "."
    return "no \(kind) '\(id)'\(hint) There is: \(known.joined(separator: ", "))"
  }
}

/// The candidate with the smallest edit distance to `word`, or nil when none is within a third of
/// its length. O(candidates × length²).
package func nearestMatch(to word: String, among candidates: [String]) -> String? {
  let limit = max(1, word.count / 3)
  let ranked = candidates.map { ($0, editDistance(Array(word), Array($0))) }
  return ranked.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
}

/// The distance of Levenshtein, with the exchange of two neighbours as one step (optimal string
/// alignment), by rows.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
  var rows = [Array(0...b.count)]
  for (i, x) in a.enumerated() {
    var row = [i + 1]
    for (j, y) in b.enumerated() {
      var best = min(rows[i][j] + (x == y ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { best = min(best, rows[i - 1][j - 1] + 1) }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
