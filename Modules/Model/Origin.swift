package import FoundationEssentials

/// The origin of an imported highlight: where it was imported from, and its properties there at the
/// time of the last import.
///
/// The user's later changes in Diple are detected by a comparison with these properties.
package struct Origin: Hashable, Sendable, Codable {
  /// The id of the import format.
  package var format: String
  /// The key by which a later import recognizes the highlight: its ID in the source, or a digest of
  /// its source, location and text.
  package var key: String
  /// The keys of earlier versions of the highlight in the same source.
  package var earlierKeys: [String]?
  /// The path or address of the highlight's document in the source.
  package var source: String?
  /// The title of that document.
  package var title: String?
  /// The author of that document.
  package var author: String?
  /// The position in that document, in the source's notation: “page 12 · location 340”.
  package var location: String?
  /// The colour, in the source's notation.
  package var color: String?
  /// The colour that the import assigned to the highlight in Diple.
  package var marked: HighlightColor
  /// The time at which the highlight was created in the source.
  package var created: Date?
  /// The time of its last change in the source.
  package var updated: Date?
  /// The highlighted text in the source; nil if it equals the text of the passage.
  package var quote: String?
  /// The digest of the highlighted text in the source.
  package var quoteDigest: String
  /// The digest of the passage's text to which the import attached the highlight.
  package var passageDigest: String
  /// The note in the source.
  package var note: String?
  /// The tags in the source that are valid in Diple, sorted.
  package var tags: [String]?
  /// Earlier versions of the highlight in the source.
  package var earlier: [Earlier]?
  /// The highlight's whole JSON object in the source, with sorted keys; nil if the format has no
  /// objects, or if this one is too large.
  package var object: String?

  /// An earlier version of a highlight that the source still contains.
  package struct Earlier: Hashable, Sendable, Codable {
    /// The highlighted text.
    package var quote: String
    /// The position in the document, in the source's notation.
    package var location: String?
    /// The time at which the version was created.
    package var created: Date?

    package init(quote: String, location: String?, created: Date?) {
      (self.quote, self.location, self.created) = (quote, location, created)
    }
  }

  /// Creates an origin with the properties that every import sets. All other properties are nil.
  package init(
    format: String, key: String, marked: HighlightColor, quoteDigest: String, passageDigest: String
  ) {
    (self.format, self.key, self.marked) = (format, key, marked)
    (self.quoteDigest, self.passageDigest) = (quoteDigest, passageDigest)
  }

  /// The highlight's ID in the source; nil if the format has no IDs.
  package var id: String? { key.hasPrefix("id:") ? String(key.dropFirst(3)) : nil }

  /// The key with the format before it, unique among all formats.
  package var fullKey: String { Self.fullKey(key, of: format) }

  /// Returns the full key for a key of a format.
  package static func fullKey(_ key: String, of format: String) -> String { format + ":" + key }
}

/// An origin in its stored form, JSON with sorted keys. The JSON is parsed on access, because most
/// lists of highlights don't use it.
package struct StoredOrigin: Hashable, Sendable {
  package let text: String

  /// Creates an origin from its stored JSON, which is not checked.
  package init(text: String) { self.text = text }

  /// Encodes an origin. Equal origins are encoded as equal texts.
  package init(_ origin: Origin) {
    if let plain = origin.plainJSON {
      text = plain
      return
    }
    guard let data = try? JSONEncoder.ordered(dates: .iso8601).encode(origin) else {
      preconditionFailure("an origin cannot be encoded")
    }
    text = String(decoding: data, as: UTF8.self)
  }

  /// The title, author and source, which identify a work; nil where `origin` is nil. The object of
  /// the source is not decoded.
  package var work: [String?]? {
    var text = text
    let plain: [String?]? = text.withUTF8 { bytes in
      PlainOrigin(bytes).map { plain in
        [plain.title, plain.author, plain.source].map { text in
          text.map { String(decoding: $0, as: UTF8.self) }
        }
      }
    }
    return plain ?? origin.map { [$0.title, $0.author, $0.source] }
  }

  /// The full key of the origin; nil where `origin` is nil. It takes half of the time of `origin`.
  package var fullKey: String? {
    var text = text
    let plain: String? = text.withUTF8 { bytes in
      PlainOrigin(bytes).map {
        Origin.fullKey(
          String(decoding: $0.key, as: UTF8.self), of: String(decoding: $0.format, as: UTF8.self))
      }
    }
    return plain ?? origin?.fullKey
  }

  /// The decoded origin; nil if no known version of Diple can have written the JSON. O(size).
  package var origin: Origin? {
    var text = text
    if let plain = text.withUTF8(Origin.init(plainJSON:)) { return plain }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try? decoder.decode(Origin.self, from: Data(text.utf8))
  }
}
