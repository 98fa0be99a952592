import Model

/// The numbers of fields in the sync format. A well-known field is written as a number. A field of
/// a family is written as the family's number and the rest of the name, and any other field by its
/// name. The later occurrences of a field of these two kinds in the same part are written as an
/// index.
enum FieldTag {
  /// A field whose full name follows.
  static let named = 0
  /// The first field of `known`.
  static let firstKnown = 1
  /// The first family of `families`; the rest of the name follows.
  static let firstFamily = 20
  /// The first of the fields that were written with their names earlier in the part.
  static let firstSeen = 32

  static let known: [Operation.Field] = [
    .created, .path, .title, .trashed, .purged, .selector, .document, .detached, .color, .origin,
    .note, .format,
  ]
  static let families = ["tag/", "label/", "source/", "property/", "query/", "alias/"]

  static let numbers = Dictionary(
    uniqueKeysWithValues: known.enumerated().map { ($1, firstKnown + $0) })

  /// Returns the number of the family that a name belongs to, and the rest of the name; nil if it
  /// belongs to none.
  static func family(of name: String) -> (number: Int, rest: String)? {
    // Compare bytes: names that are canonically equivalent are still different names.
    let name = name.utf8
    for (index, family) in families.enumerated() where name.starts(with: family.utf8) {
      return (firstFamily + index, String(Substring(name.dropFirst(family.utf8.count))))
    }
    return nil
  }
}
