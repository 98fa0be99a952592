import FoundationEssentials
import Model

extension JSONValue {
  /// Returns an object with another value for a key; `null` removes the key. Other values than
  /// objects are returned unchanged.
  func setting(_ key: String, to value: JSONValue) -> JSONValue {
    guard case .object(var object) = self else { return self }
    object[key] = value == .null ? nil : value
    return .object(object)
  }
}

/// The tags of a source, compared with those of a highlight in Diple.
enum SourceTags {
  /// Returns the name of a source's tag in Diple; nil if it can't be a tag.
  private static func name(_ tag: String) -> String? {
    var name = tag[...]
    while name.first?.isWhitespace == true || name.first == "#" { name.removeFirst() }
    while name.last?.isWhitespace == true { name.removeLast() }
    let isTag =
      !name.isEmpty && !name.contains(",")
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return isTag ? String(name) : nil
  }

  /// Returns the names of tags in Diple, without those that can't be tags.
  static func names(_ tags: [String]) -> Set<String> { Set(tags.compactMap(name)) }

  /// Returns whether a source's tag is kept: the highlight has it, or Diple can't store it.
  static func keeps(_ tag: String, in names: Set<String>) -> Bool {
    name(tag).map(names.contains) ?? true
  }

  /// Returns the tags that the source lacks, in their order.
  static func missing(_ tags: [String], from source: [String]) -> [String] {
    let present = names(source)
    return tags.filter { tag in name(tag).map { !present.contains($0) } ?? false }
  }
}
