package import Model

extension Operation {
  /// Whether some version of Diple can have written the operation: its record has the field, and
  /// the value has the field's type. Unknown fields and values are accepted in operations of other
  /// replicas, which may have a newer version.
  ///
  /// - Parameter ownReplica: this copy of the library.
  package func isPossible(in ownReplica: ReplicaID) -> Bool {
    isPossible || dot.replica != ownReplica && isOfNewer
  }

  /// Whether only a newer version of Diple can read the record, the field or the value.
  private var isOfNewer: Bool {
    if case .other = record { return true }
    if case .other = value { return field != .created }
    let name = field.rawValue
    return !field.isKnown && !name.isEmpty && name.utf8.count <= 512
      && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  private var isPossible: Bool {
    // A record has the identifier of the operation that created it.
    if field == .created {
      guard dot == record.dot else { return false }
      switch (record, value) {
      case (.document, .none): return true
      case (.highlight, .reference): return true
      default: return false
      }
    }
    switch (record, value) {
    case (.library, .text), (.library, .none):
      return field.labelled != nil || field.query != nil || field.property != nil
    case (.library, _): return false
    case (.document(let id), .flag):
      return [.trashed, .purged].contains(field) || field.alias.map { $0 < id } ?? false
    case (.document, .text(let text)):
      return field == .title || field == .path && !text.isEmpty
        || field.source != nil && StoredSourceValue(text: text).value != nil
        || field.property != nil
    // The value was reset, or discarded when the record was purged.
    case (.document, .none):
      return [.path, .title, .trashed].contains(field) || field.source != nil
        || field.property != nil || field.alias != nil
    case (.document, _): return false
    case (.highlight, .flag):
      return [.trashed, .purged, .detached].contains(field) || isOnTag
    case (.highlight, .text):
      // This is the most frequent case. A list of fields would be allocated each time.
      switch field {
      case .color, .note, .origin, .format: return true
      default: return false
      }
    case (.highlight, .reference): return field == .document
    case (.highlight, .selector(let selector)):
      return field == .selector && selector.position.utf16.upperBound <= DatabaseRow.textLimit
        && (0...Int(DatabaseRow.countLimit)).contains(selector.renderVersion)
    case (.highlight, .none):
      return [.selector, .trashed, .detached, .color, .note, .origin, .document, .format]
        .contains(field)
        || isOnTag
    case (.highlight, .other), (.other, _): return false
    }
  }

  /// Whether the field is a tag with a valid name. U+001F separates tags in lists.
  private var isOnTag: Bool {
    field.tag.map { !$0.isEmpty && !$0.contains("\u{1F}") } ?? false
  }
}

extension Operation.Field {
  /// Whether this version of Diple knows the field for at least one kind of record.
  fileprivate var isKnown: Bool {
    let known: [Operation.Field] = [
      .created, .path, .title, .trashed, .purged, .selector, .document, .detached, .color, .origin,
      .note, .format,
    ]
    return known.contains(self) || tag != nil || labelled != nil || query != nil || source != nil
      || property != nil || alias != nil
  }
}

extension Operation {
  /// Whether this version can read the value. An unreadable operation is never the current one of
  /// its field, but stays stored for a version that can read it.
  var isReadable: Bool {
    switch value {
    case .other: false
    case .text(let text) where field == .color: HighlightColor(rawValue: text) != nil
    default: true
    }
  }

  /// The SQL condition for a row of `operation` that is true if `isReadable` is true.
  static let isReadable = """
    NOT (typeof(value) = 'blob' AND substr(value, 1, 1) >= x'10'
      OR field = 'color' AND typeof(value) = 'blob' AND substr(value, 1, 1) IN (x'03', x'04')
      OR field = 'color' AND typeof(value) = 'text'
        AND value NOT IN (\(HighlightColor.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))))
    """
}
