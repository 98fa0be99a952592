package import FoundationEssentials

extension JSONEncoder {
  /// Writes a value on one line with its keys in order: equal values give equal bytes, which can be
  /// compared and hashed.
  ///
  /// - Parameter dates: ISO 8601 for what other programs read; what Diple stores has them as numbers.
  package static func ordered(dates: DateEncodingStrategy = .deferredToDate) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = dates
    return encoder
  }
}
