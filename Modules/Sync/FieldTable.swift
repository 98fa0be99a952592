import Model

/// How fields are written: the well-known ones as a number, families as a number with a name, others
/// by their name; and one that was named before in the same part by its place among these.
enum FieldTag {
  /// Any name.
  static let named = 0
  /// Of `known`, the first.
  static let firstKnown = 1
  /// Of `families`, the first; the rest of the name follows.
  static let firstFamily = 20
  /// The first that was named before.
  static let firstSeen = 32

  static let known: [Operation.Field] = [
    .created, .path, .title, .trashed, .purged, .selector, .document, .detached, .color, .origin,
    .note, .format,
  ]
  static let families = ["tag/", "label/", "source/", "property/", "query/", "alias/"]

  static let numbers = Dictionary(
    uniqueKeysWithValues: known.enumerated().map { ($1, firstKnown + $0) })

  /// The family of a name, and what is left of the name.
  static func family(of name: String) -> (number: Int, rest: String)? {
    // Bytes are compared, because what is canonically equivalent is not alike.
    let name = name.utf8
    for (index, family) in families.enumerated() where name.starts(with: family.utf8) {
      return (firstFamily + index, String(Substring(name.dropFirst(family.utf8.count))))
    }
    return nil
  }
}
