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
    let entries = try await library.documents().map { document in
      LibraryAnswer.Entry(
        id: document.id, path: document.path.string, title: document.title,
        state: document.path.isElsewhere
          ? "elsewhere" : document.state == .present ? "ok" : document.state.rawValue,
        counts: Self.named(counts[document.id] ?? [:]),
        states: Self.named(states[document.id] ?? [:]), updated: document.updated)
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
