package import Model

/// One attribute with its value. An attribute that a set does not have is inherited.
package protocol FormatAttribute: Hashable, Sendable {
  /// Which attribute it is, without a value.
  associatedtype Kind: FormatKind
  /// Which attribute this is.
  var kind: Kind { get }
  /// What is wrong with the value; nil for one within the limits. O(value).
  func problem(within limits: FormatLimits) -> FormatValueError?
  /// The value as JSON; nil for a kind that is stored apart.
  var json: JSONValue { get }
  /// Reads the value of a kind; throws `FormatValueError` for what is not one. Checks no limits.
  init(_ kind: Kind, json: JSONValue) throws(FormatValueError)
}

/// Which attribute: its raw value is its name in JSON and in messages.
package protocol FormatKind: Hashable, Sendable, Comparable, CaseIterable, RawRepresentable
where RawValue == String {}

extension FormatKind {
  /// Orders by name, so that sets have one order.
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Whose values are checked.
package enum FormatLimits: Hashable, Sendable {
  /// What a person asks for: the ranges of the palette.
  case commands
  /// What a file may hold, as other programs set more than Diple offers.
  case files
}

/// A value that an attribute cannot have: one line that names the value and what is allowed.
package struct FormatValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line.
  package let description: String
  /// Takes the line.
  package init(_ description: String) { self.description = description }
}

/// What a change does to one attribute.
package enum AttributeChange<Attribute: FormatAttribute>: Hashable, Sendable {
  /// Gives it a value of its own, also where that is the inherited one.
  case set(Attribute)
  /// Removes the value, so that it is inherited again.
  case clear(Attribute.Kind)

  /// Which attribute it changes.
  package var kind: Attribute.Kind {
    switch self {
    case .set(let attribute): attribute.kind
    case .clear(let kind): kind
    }
  }
}

/// Attributes with their values, at most one of each kind.
package struct AttributeSet<Attribute: FormatAttribute>: Hashable, Sendable {
  /// The attributes, sorted by kind.
  @usableFromInline package internal(set) var values: [Attribute] = []
  /// What a newer version stored here; kept and written again.
  package var other: [String: JSONValue] = [:]

  /// Makes a set without attributes.
  @inlinable
  package init() {}

  /// Takes attributes; of several of one kind the last one counts. O(n²), of which there are few.
  @inlinable
  package init(_ attributes: [Attribute]) {
    for attribute in attributes { set(attribute) }
  }

  /// Whether everything is inherited.
  @inlinable
  package var isEmpty: Bool { values.isEmpty && other.isEmpty }

  /// What a newer version stored is rare, and slow to hash.
  package func hash(into hasher: inout Hasher) {
    for value in values { hasher.combine(value) }
    hasher.combine(values.count &+ other.count << 8)
  }

  /// The attribute of a kind; nil when it is inherited.
  @inlinable
  package subscript(kind: Attribute.Kind) -> Attribute? { values.first { $0.kind == kind } }

  /// Gives an attribute a value.
  @inlinable
  package mutating func set(_ attribute: Attribute) {
    let kind = attribute.kind
    let index = values.firstIndex { $0.kind >= kind } ?? values.count
    if index < values.count, values[index].kind == kind {
      values[index] = attribute
    } else {
      values.insert(attribute, at: index)
    }
  }

  /// Lets an attribute be inherited again.
  @inlinable
  package mutating func clear(_ kind: Attribute.Kind) { values.removeAll { $0.kind == kind } }

  /// The set with some changes made in order.
  @inlinable
  package func applying(_ changes: [AttributeChange<Attribute>]) -> Self {
    var result = self
    for change in changes {
      switch change {
      case .set(let attribute): result.set(attribute)
      case .clear(let kind): result.clear(kind)
      }
    }
    return result
  }

  /// These attributes, and those of another set for what this one inherits.
  @inlinable
  package func inheriting(_ inherited: Self) -> Self {
    if inherited.isEmpty { return self }
    var result = inherited
    for attribute in values { result.set(attribute) }
    result.other.merge(other) { _, own in own }
    return result
  }

  /// The set without some kinds of attribute.
  @inlinable
  package func removing(_ kinds: [Attribute.Kind]) -> Self {
    var result = self
    result.values.removeAll { kinds.contains($0.kind) }
    return result
  }
}

extension AttributeSet: ExpressibleByArrayLiteral {
  /// Takes attributes as `init(_:)`.
  package init(arrayLiteral elements: Attribute...) { self.init(elements) }
}
