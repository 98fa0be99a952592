import Model

extension Operation {
  /// Whether it says what some Diple may have made it say: something of a field that its record has, in
  /// a value of the field's kind.
  var isPossible: Bool {
    // A record has the name of the operation that made it.
    if field == .created { return dot == record.dot && record != .library }
    switch (record, value) {
    case (.library, .text), (.library, .none):
      return field.labelled != nil || field.query != nil || field.property != nil
    case (.library, _): return false
    case (.document, .flag): return [.trashed, .purged].contains(field)
    case (.document, .text(let text)):
      return field == .title || field == .path && !text.isEmpty
        || field.source != nil && StoredSourceValue(text: text).value != nil
        || field.property != nil
    // What was said of it was taken back, or forgotten when the record was purged.
    case (.document, .none):
      return [.path, .title, .trashed].contains(field) || field.source != nil
        || field.property != nil
    case (.document, _): return false
    case (.highlight, .flag):
      return [.trashed, .purged, .detached].contains(field) || isOnTag
    case (.highlight, .text): return [.color, .note, .origin, .format].contains(field)
    case (.highlight, .reference): return field == .document
    case (.highlight, .selector(let selector)):
      return field == .selector && selector.position.utf16.upperBound <= Row.textLimit
        && (0...Int(Row.countLimit)).contains(selector.renderVersion)
    case (.highlight, .none):
      return [.selector, .trashed, .detached, .color, .note, .origin, .document, .format]
        .contains(field)
        || isOnTag
    }
  }

  /// Tags are listed with this character between them.
  private var isOnTag: Bool {
    field.tag.map { !$0.isEmpty && !$0.contains("\u{1F}") } ?? false
  }
}
