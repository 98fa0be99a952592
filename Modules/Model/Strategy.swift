/// The description that every strategy provides of itself.
///
/// Nine protocols refine this one, one for each kind of strategy. The examples are both the tests
/// and the documentation of a strategy.
public protocol Strategy: Sendable {
  /// The form of an example for this kind of strategy.
  associatedtype Example: Sendable

  /// The name by which a user chooses the strategy: lower-case words joined by `-`.
  static var id: String { get }
  /// One line about what the strategy does.
  static var summary: String { get }
  /// Inputs with their expected results; at least one.
  static var examples: [Example] { get }
}

/// An ordered list of the strategies of one kind. It is passed as a value; there is no global
/// registry.
///
/// ```swift
/// var colors = Registry<String>(kind: "colour")
/// colors.register("#ff0", "yellow", "The default.")
/// try colors.strategy("yellow")  // "#ff0"
/// ```
package struct Registry<Element: Sendable>: Sendable {
  /// A strategy with its description.
  package struct Entry: Sendable {
    /// The name by which a user chooses the strategy.
    package var id: String
    /// One line about what the strategy does.
    package var summary: String
    package var strategy: Element
  }

  /// The noun for the strategies in messages, in the singular: `renderer`.
  package let kind: String
  /// The entries in the order of registration.
  package private(set) var entries: [Entry] = []

  package init(kind: String) { self.kind = kind }

  /// Appends a built-in strategy. Traps if the id is already registered, which is a programming
  /// error.
  ///
  /// - Parameters:
  ///   - strategy: the value that `strategy(_:)` returns.
  ///   - type: the type that provides the id and the summary.
  package mutating func register<Type: Strategy>(_ strategy: Element, as type: Type.Type) {
    precondition(index(of: type.id) == nil, "the \(kind) '\(type.id)' is registered twice")
    entries.append(Entry(id: type.id, summary: type.summary, strategy: strategy))
  }

  /// Appends a strategy that is only known at run time, such as an external program. Returns false,
  /// and changes nothing, if the id is already registered.
  @discardableResult
  package mutating func register(_ strategy: Element, _ id: String, _ summary: String) -> Bool {
    if index(of: id) != nil { return false }
    entries.append(Entry(id: id, summary: summary, strategy: strategy))
    return true
  }

  /// The strategies in the order of registration.
  package var all: [Element] { entries.map(\.strategy) }

  /// Returns the strategy with an id.
  ///
  /// - Throws: ``UnknownStrategyError`` if there is none. Its description lists the valid ids.
  package func strategy(_ id: String) throws(UnknownStrategyError) -> Element {
    guard let index = index(of: id) else {
      throw UnknownStrategyError(kind: kind, id: id, known: entries.map(\.id))
    }
    return entries[index].strategy
  }

  /// Returns the index of the entry with an id. Every command registers all strategies. For
  /// `firstIndex(where:)`, the runtime would search the conformances of all types for each kind.
  private func index(of id: String) -> Int? {
    var index = 0
    while index < entries.count {
      if entries[index].id == id { return index }
      index += 1
    }
    return nil
  }
}

/// The failure of a strategy, such as a program that crashed or exceeded its time limit.
public struct StrategyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line with the name of the strategy and the cause.
  public var description: String
  /// Creates a failure from its message, which should be one line.
  public init(_ description: String) { self.description = description }
}

/// The error thrown for an id that is not registered.
package struct UnknownStrategyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of strategy that was looked up, in the singular.
  package var kind: String
  /// The unknown id.
  package var id: String
  /// The registered ids.
  package var known: [String]

  package init(kind: String, id: String, known: [String]) {
    self.kind = kind
    self.id = id
    self.known = known
  }

  /// The registered id that `id` is probably a misspelling of; nil if none is similar enough.
  package var nearest: String? { Spelling.nearest(to: id, among: known) }

  /// One line with the unknown id, the nearest one and all that are registered.
  package var description: String {
    let hint = nearest.map { "; " + Spelling.question($0) } ?? "."
    return "no \(kind) '\(id)'\(hint) There are: \(known.joined(separator: ", "))"
  }
}
