package import Editing
import FoundationEssentials
package import Model

/// A passage of a document in a request.
package enum RequestedPassage: Hashable, Sendable {
  /// What a SPEC selects in the current text.
  case spec(SelectionSpec)
  /// Ranges of the text with a digest, which was shown to the user.
  case ranges([TextRange], of: ContentDigest)

  /// The largest number of ranges in a request. Browsers send one for each cell of a table.
  static let mostRanges = 100
}

extension RequestedPassage: Codable {
  private enum CodingKeys: String, CodingKey { case spec, ranges, text }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.spec) else {
      let ranges = try container.decode([TextRange].self, forKey: .ranges)
      guard ranges.allSatisfy({ $0.utf16.upperBound <= Int32.max }) else {
        throw DecodingError.dataCorruptedError(
          forKey: .ranges, in: container, debugDescription: "a range ends beyond all texts")
      }
      self = .ranges(ranges, of: try container.decode(ContentDigest.self, forKey: .text))
      return
    }
    do {
      self = .spec(try SelectionSpec(parsing: try container.decode(String.self, forKey: .spec)))
    } catch let error as SelectionSyntaxError {
      throw DecodingError.dataCorruptedError(
        forKey: .spec, in: container, debugDescription: error.description)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .spec(let spec): try container.encode(spec.description, forKey: .spec)
    case .ranges(let ranges, let text):
      try container.encode(ranges, forKey: .ranges)
      try container.encode(text, forKey: .text)
    }
  }
}
