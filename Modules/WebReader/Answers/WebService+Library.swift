import Actions
import Editing
import FoundationEssentials
import MarkdownParse
import Model
import SystemSupport
import Workspace

extension WebService {
  private struct LibraryAnswer: Encodable {
    struct Entry: Encodable {
      var id: Document.ID
      var path: String
      var title: String
      var state: String
      var counts: [String: Int]
      var states: [String: Int]
      var updated: Date
      /// The percentage that the user read, and when; nil if no place is stored.
      var percent: Int?
      var read: Date?
    }

    struct Tag: Encodable {
      var name: String
      var count: Int
    }

    var name: String
    var readOnly: Bool
    var device: PairedDeviceRecord?
    /// The number of paired devices; nil if the page does not mention devices.
    var devices: Int?
    var sequence: Int
    var documents: [Entry]
    var tags: [Tag]
    var colors: [ColorAnswer]
    var undo: String?
    var redo: String?
  }

  /// Returns the documents, tags and colours.
  func libraryAnswer(_ caller: Principal) async throws -> WebAnswer {
    let sequence = await pages.sequence
    _ = try await session.refreshAll()
    let (states, counts) = (try await library.highlightCounts(), try await library.colorCounts())
    let read = Self.readingPlaces(try? session.readingPlaces)
    let entries = try await library.documents().map { document in
      let place = read[document.id.description]
      return LibraryAnswer.Entry(
        id: document.id, path: document.path.string, title: document.title,
        state: document.path.isElsewhere
          ? "elsewhere" : document.state == .present ? "ok" : document.state.rawValue,
        counts: Self.named(counts[document.id] ?? [:]),
        states: Self.named(states[document.id] ?? [:]), updated: document.updated,
        percent: place?.percent, read: place?.time)
    }
    return .json(
      LibraryAnswer(
        name: name, readOnly: library.isReadOnly || !caller.mayWrite,
        device: caller.device.map { PairedDeviceRecord($0) }, devices: deviceCount(for: caller),
        sequence: sequence, documents: entries,
        tags: try await library.tags().map { LibraryAnswer.Tag(name: $0.name, count: $0.count) },
        colors: ColorAnswer.all(try await library.labels()),
        undo: try await library.nextStep(by: .undo)?.summary,
        redo: try await library.nextStep(by: .redo)?.summary))
  }

  /// Returns how much the user read of documents, and when, by the ids of the documents.
  private static func readingPlaces(_ places: ReadingPlaces?)
    -> [String: (percent: Int, time: Date)]
  {
    let known = places?.latest.compactMap { place, time in
      place.document.map { ($0, (percent: place.percent, time: time)) }
    }
    return Dictionary(known ?? [], uniquingKeysWith: { first, _ in first })
  }

  private static func named<Key: RawRepresentable<String>>(_ counts: [Key: Int]) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { ($0.rawValue, $1) })
  }
}

/// A colour and its label in the library.
struct ColorAnswer: Encodable {
  var name: HighlightColor
  var label: String?
  var letter: String

  static func all(_ labels: [HighlightColor: String]) -> [ColorAnswer] {
    HighlightColor.allCases.map {
      ColorAnswer(name: $0, label: labels[$0], letter: String($0.letter))
    }
  }
}
