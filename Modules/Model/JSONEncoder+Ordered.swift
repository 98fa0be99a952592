package import FoundationEssentials

extension JSONEncoder {
  /// Returns an encoder that writes JSON on one line with sorted keys.
  ///
  /// Equal values are encoded as equal bytes, which can be compared and hashed.
  ///
  /// - Parameter dates: ISO 8601 for JSON that other programs read. Dates that only Diple reads are
  ///   stored as numbers.
  package static func ordered(dates: DateEncodingStrategy = .deferredToDate) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = dates
    return encoder
  }
}
