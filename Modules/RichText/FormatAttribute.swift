package import Model

/// An attribute with its value. An attribute that isn't in a set is inherited.
package protocol FormatAttribute: Hashable, Sendable {
  /// The attribute without its value.
  associatedtype Kind: FormatKind
  /// The attribute without its value.
  var kind: Kind { get }
  /// Returns the error for a value out of its limits, or nil if it is valid. O(value).
  func problem(within limits: FormatLimits) -> FormatValueError?
  /// The value as JSON.
  var json: JSONValue { get }
  /// Decodes the JSON value of a kind. Throws ``FormatValueError`` if the JSON isn't valid for the
  /// kind. Doesn't check limits.
  init(_ kind: Kind, json: JSONValue) throws(FormatValueError)
}

/// The kind of an attribute. Its raw value is the name in JSON and in messages.
package protocol FormatKind: Hashable, Sendable, Comparable, CaseIterable, RawRepresentable
where RawValue == String {}

extension FormatKind {
  /// Compares by name. Sets are sorted by this order.
  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The limits that a value is checked against.
package enum FormatLimits: Hashable, Sendable {
  /// The ranges that a user can set, as in the palette.
  case commands
  /// The ranges allowed in files. They are wider, because other programs allow more than Diple.
  case files
}

/// The error for a value that is invalid for its attribute. The message names the value and the
/// allowed range.
package struct FormatValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error message, one line without a full stop.
  package let description: String
  /// Creates an error with a message, one line without a full stop.
  package init(_ description: String) { self.description = description }
}

/// A change that sets an attribute or removes it.
package enum AttributeChange<Attribute: FormatAttribute>: Hashable, Sendable {
  /// Sets a direct value, even if it equals the inherited one.
  case set(Attribute)
  /// Removes the direct value, so that the attribute is inherited.
  case clear(Attribute.Kind)

  /// The kind of attribute to change.
  package var kind: Attribute.Kind {
    switch self {
    case .set(let attribute): attribute.kind
    case .clear(let kind): kind
    }
  }
}

/// A set of attributes with at most one value of each kind.
package struct AttributeSet<Attribute: FormatAttribute>: Hashable, Sendable {
  /// The attributes, sorted by kind.
  @usableFromInline package internal(set) var values: [Attribute] = []
  /// Unknown JSON members, which a newer version may have written. They are kept and written again.
  package var other: [String: JSONValue] = [:]

  /// Creates an empty set, which inherits every attribute.
  @inlinable
  package init() {}

  /// Creates a set of attributes. If a kind occurs more than once, the last value is used. O(n²);
  /// sets are small.
  @inlinable
  package init(_ attributes: [Attribute]) {
    for attribute in attributes { set(attribute) }
  }

  /// Whether every attribute is inherited and there are no unknown members.
  @inlinable
  package var isEmpty: Bool { values.isEmpty && other.isEmpty }

  /// Hashes the values but only the number of unknown members, which are rare and slow to hash.
  package func hash(into hasher: inout Hasher) {
    for value in values { hasher.combine(value) }
    hasher.combine(values.count &+ other.count << 8)
  }

  /// The attribute of a kind, or nil if it is inherited.
  @inlinable
  package subscript(kind: Attribute.Kind) -> Attribute? { values.first { $0.kind == kind } }

  /// Sets the value of an attribute, replacing one of the same kind.
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

  /// Removes the value of an attribute, so that it is inherited.
  @inlinable
  package mutating func clear(_ kind: Attribute.Kind) { values.removeAll { $0.kind == kind } }

  /// Returns the set with some changes applied in order.
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

  /// Returns the set completed by the values of another set for the kinds that this one inherits.
  @inlinable
  package func inheriting(_ inherited: Self) -> Self {
    if inherited.isEmpty { return self }
    var result = inherited
    for attribute in values { result.set(attribute) }
    result.other.merge(other) { _, own in own }
    return result
  }

  /// Returns the set without some kinds of attribute.
  @inlinable
  package func removing(_ kinds: [Attribute.Kind]) -> Self {
    var result = self
    result.values.removeAll { kinds.contains($0.kind) }
    return result
  }
}

extension AttributeSet: ExpressibleByArrayLiteral {
  /// Creates a set as `init(_:)` does.
  package init(arrayLiteral elements: Attribute...) { self.init(elements) }
}
