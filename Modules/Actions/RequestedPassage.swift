package import Editing
import FoundationEssentials
import MarkdownParse
package import Model
import SystemSupport
import Workspace

/// A passage of a document in a request.
package enum RequestedPassage: Hashable, Sendable {
  /// The selection of a SPEC in the current text.
  case spec(SelectionSpec)
  /// Ranges of a text that was shown to the user, with the digest of that text.
  case ranges([TextRange], of: ContentDigest)

  /// The maximum number of ranges in a request. Browsers send a range for each cell of a table.
  static let mostRanges = 100

  /// Returns the SPEC.
  ///
  /// - Throws: `usage` if the passage consists of ranges.
  func spec() throws(UserError) -> SelectionSpec {
    guard case .spec(let spec) = self else {
      throw UserError(.usage, "'passage' must be a SPEC, not ranges").about("passage.ranges")
    }
    return spec
  }
}

extension RequestedPassage {
  /// Returns the range of the passage in the current text of a document. Several ranges are
  /// combined to one, from the first start to the last end. Ranges are extended to whole graphemes.
  ///
  /// - Throws: the errors of `Library.select`; `conflict` if the text has changed since the ranges
  ///   were made; `usage` if there are no ranges or a range exceeds the text.
  func range(in open: OpenDocument, of library: Library) async throws(UserError) -> TextRange {
    switch self {
    case .spec(let spec):
      do throws(UserError) { return try await library.select(spec, in: open) } catch {
        throw error.about("passage.spec")
      }
    case .ranges(let ranges, let text):
      guard text == open.textDigest else {
        throw UserError(
          .conflict, "the text changed since it was shown", hint: "select the passage again")
      }
      let units = ranges.map(\.utf16)
      guard let start = units.map(\.lowerBound).min(), let end = units.map(\.upperBound).max(),
        end <= open.parsed.text.count
      else {
        throw UserError(.usage, "'passage.ranges' must be ranges of the text").about(
          "passage.ranges")
      }
      return open.parsed.wholeGraphemes(TextRange(utf16: start..<end))
    }
  }

  /// Returns the passage as a SPEC. Ranges become one range of the current text, as in `range`.
  ///
  /// - Throws: the errors of `range` if the passage consists of ranges.
  func spec(in document: Document, of library: Library) async throws(UserError) -> SelectionSpec {
    if case .spec(let spec) = self { return spec }
    let open = try await library.open(document)
    return SelectionSpec(units: try await range(in: open, of: library))
  }
}

extension RequestedPassage: Codable {
  private enum CodingKeys: String, CodingKey { case spec, ranges, text }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard container.contains(.spec) else {
      let ranges = try container.decode([TextRange].self, forKey: .ranges)
      guard ranges.allSatisfy({ $0.utf16.upperBound <= Int32.max }) else {
        throw DecodingError.dataCorruptedError(
          forKey: .ranges, in: container,
          debugDescription: "a range exceeds the maximum length of a text")
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
