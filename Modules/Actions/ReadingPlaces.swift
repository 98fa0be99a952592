import Configuration
import MarkdownParse
package import Model
import SystemSupport
package import Workspace

/// Returns the place where the user stopped reading a document.
package struct ShowReadingPlace: Action {
  package static let name = "reading.show"
  package static let summary = "Shows where the user stopped reading a document."
  package static let effect = ActionEffect.reads
  package static let parameters = [ActionParameter.document]
  package static let examples = [ShowReadingPlace(document: .example)]

  package var document: Document.ID

  package init(document: Document.ID) { self.document = document }

  package func run(in session: ActionSession) async throws -> ReadingPlaceOutcome {
    let document = try await session.document(document)
    guard let places = try session.readingPlaces,
      let place = try places.place(
        of: document.id, at: session.library.location.absolute(document.path))
    else { return ReadingPlaceOutcome(document: document) }
    let open = try await session.library.open(document)
    let digest = open.textDigest ?? ContentDigest(of: open.parsed.text)
    let offsets = await session.library.offsets(of: place, in: open, digest: digest)
    return ReadingPlaceOutcome(
      document: document, offset: offsets.top, text: digest, percent: place.percent)
  }
}

/// Remembers the place where the user stopped reading a document. It changes nothing in the library:
/// the places are the user's own, and every front-end continues there.
package struct KeepReadingPlace: Action {
  package static let name = "reading.keep"
  package static let summary = "Remembers where the user stopped reading a document."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    .document,
    ActionParameter("offset", .integer, "The first offset on the screen.", isRequired: true),
    ActionParameter("text", .digest, "The digest of the text of the offset.", isRequired: true),
    ActionParameter(
      "percent", .integer, "The percentage of the text that was read, from 0 to 100.",
      isRequired: true),
  ]
  package static let examples = [
    KeepReadingPlace(
      document: .example, offset: TextOffset(utf16: 120), text: MarkPassages.exampleText,
      percent: 34)
  ]

  package var document: Document.ID
  package var offset: TextOffset
  package var text: ContentDigest
  package var percent: Int

  package init(document: Document.ID, offset: TextOffset, text: ContentDigest, percent: Int) {
    (self.document, self.offset, self.text, self.percent) = (document, offset, text, percent)
  }

  /// Stores the place, unless the setting `reader.remember` is off.
  ///
  /// - Throws: `conflict` if the text is neither the current one nor one that the front-end showed;
  ///   the errors of opening the document and of writing the place.
  package func run(in session: ActionSession) async throws -> ReadingPlaceOutcome {
    let document = try await session.document(document)
    guard let places = try session.readingPlaces else {
      return ReadingPlaceOutcome(document: document)
    }
    let units: [UInt16]
    if let shown = session.shownText(text) {
      units = Array(shown.utf16)
    } else {
      let open = try await session.library.open(document)
      guard open.textDigest == text else {
        throw UserError(
          .conflict, "the text of \(document.title) has changed", hint: "show it again"
        ).about("text")
      }
      units = open.parsed.text.utf16
    }
    let location = session.library.location
    let place = ReadingPlace(
      ReadingPlace.Offsets(caret: offset, top: offset, outline: nil), caretRow: nil, query: "",
      percent: percent, in: units, digest: text, of: document.id, library: location.folder,
      path: location.absolute(document.path), title: document.title)
    try places.keep(place)
    return ReadingPlaceOutcome(
      document: document, offset: min(offset, TextOffset(utf16: units.count)), text: text,
      percent: place.percent)
  }
}

/// A document, and the place where the user stopped reading it.
package struct ReadingPlaceOutcome: ActionOutcome {
  package var document: Document
  /// The first offset on the screen; nil if no place is stored.
  package var offset: TextOffset?
  /// The digest of the text of the offset.
  package var text: ContentDigest?
  /// The percentage of the text that was read.
  package var percent: Int?

  /// The record `diple.reading/1`.
  private struct Record: Encodable {
    var document: HighlightRecord.DocumentReference
    @Nullable var offset: TextOffset?
    @Nullable var text: ContentDigest?
    @Nullable var percent: Int?
  }

  package var json: String {
    JSON.line(
      "diple.reading/1",
      Record(document: .init(document), offset: offset, text: text, percent: percent))
  }
}

extension ActionSession {
  /// The places where the user stopped reading; nil if they are not remembered.
  ///
  /// - Throws: the errors of reading the settings.
  package var readingPlaces: ReadingPlaces? {
    get throws(UserError) {
      try settings().isOn(.readerRemember) ? ReadingPlaces(environment: environment) : nil
    }
  }
}
