package import FoundationEssentials

/// Where an imported highlight comes from, and what its source said of it when it was last imported.
/// What the person changed here since is known by comparing with it.
package struct Origin: Hashable, Sendable, Codable {
  /// The id of the format.
  package var format: String
  /// By what the source's highlight is known again: its name there, or else a digest of its source,
  /// location and words.
  package var key: String
  /// The keys of earlier versions of it that stood in the same source.
  package var earlierKeys: [String]?
  /// The path or address of its document there.
  package var source: String?
  /// What its document is called there.
  package var title: String?
  /// Who wrote that.
  package var author: String?
  /// Where in its document it stands, in the source's own words: "page 12 · location 340".
  package var location: String?
  /// Its colour in the source's own words.
  package var color: String?
  /// The colour that it was given here for that.
  package var marked: HighlightColor
  /// When it was made there.
  package var created: Date?
  /// When it was last changed there.
  package var updated: Date?
  /// Its words there, where they are not the passage's.
  package var quote: String?
  /// Stands for its words there.
  package var quoteDigest: String
  /// Stands for the words of the passage that it was given here.
  package var passageDigest: String
  /// Its note there.
  package var note: String?
  /// Its tags there, as far as they are tags here; sorted.
  package var tags: [String]?
  /// What earlier versions of it said.
  package var earlier: [Earlier]?

  /// An earlier version that its source still has beside it.
  package struct Earlier: Hashable, Sendable, Codable {
    /// The words.
    package var quote: String
    /// Where it stands, in the source's own words.
    package var location: String?
    /// When it was made.
    package var created: Date?

    /// Makes a version of its parts.
    package init(quote: String, location: String?, created: Date?) {
      (self.quote, self.location, self.created) = (quote, location, created)
    }
  }

  /// Makes an origin of the parts that each has.
  package init(
    format: String, key: String, marked: HighlightColor, quoteDigest: String, passageDigest: String
  ) {
    (self.format, self.key, self.marked) = (format, key, marked)
    (self.quoteDigest, self.passageDigest) = (quoteDigest, passageDigest)
  }

  /// Its name at its source; nil where the form gives none.
  package var id: String? { key.hasPrefix("id:") ? String(key.dropFirst(3)) : nil }

  /// What stands for a highlight of any format.
  package var fullKey: String { Self.fullKey(key, of: format) }

  /// The same for a key of a format.
  package static func fullKey(_ key: String, of format: String) -> String { format + ":" + key }
}

/// An origin as it is stored: JSON with sorted keys. It is read when it is asked for, which most
/// lists do not.
package struct StoredOrigin: Hashable, Sendable {
  /// The JSON.
  package let text: String

  /// Takes what is stored.
  package init(text: String) { self.text = text }

  /// Packs an origin. Equal ones are stored alike.
  package init(_ origin: Origin) {
    if let plain = origin.plainJSON {
      text = plain
      return
    }
    guard let data = try? JSONEncoder.ordered(dates: .iso8601).encode(origin) else {
      preconditionFailure("an origin is made of texts and dates")
    }
    text = String(decoding: data, as: UTF8.self)
  }

  /// The origin; nil where no Diple that this one knows can have written it. O(size).
  package var origin: Origin? {
    var text = text
    if let plain = text.withUTF8(Origin.init(plainJSON:)) { return plain }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try? decoder.decode(Origin.self, from: Data(text.utf8))
  }
}
