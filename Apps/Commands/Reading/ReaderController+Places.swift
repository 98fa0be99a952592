import Configuration
import Console
import DaemonKit
import MarkdownParse
import Model
import Reader
import SystemSupport
import Workspace

extension ReaderController {
  /// The places where the user stopped reading; nil if they are not remembered.
  private var places: ReadingPlaces? {
    guard (try? context.libraries.settings(globals))?.isOn(.readerRemember) == true else {
      return nil
    }
    return ReadingPlaces(environment: context.terminal.environment)
  }

  private var digest: ContentDigest { open.textDigest ?? ContentDigest(of: open.parsed.text) }

  /// Shows the place where the user stopped reading the open text. Does nothing without one.
  func resumePlace() async {
    guard !isInput, let places else { return }
    let place: ReadingPlace?
    do { place = try places.place(of: open.document?.id, at: file) } catch {
      reader.notify(reason(error))
      return
    }
    guard let place else { return }
    let offsets = await library.offsets(of: place, in: open, digest: digest)
    reader.resume(
      Reader.View(
        caret: offsets.caret, caretRow: place.caretRow, top: offsets.top, outline: offsets.outline,
        query: place.query))
    if reader.message.isEmpty, reader.view.top.utf16 > 0 {
      reader.notify("this is where you stopped reading; g goes to the start")
    }
  }

  /// Stores the place in the open text. If the user has not moved since the text was opened, an
  /// earlier place is kept: a link may have led to another part of the text.
  package func keepPlace() {
    guard !isInput, let places else { return }
    let view = reader.view
    guard view != keptView else { return }
    keptView = view
    if let arrival, arrival.caret == view.caret, arrival.top == view.top,
      let old = try? places.place(of: open.document?.id, at: file)
    {
      return places.renew(old)
    }
    let place = ReadingPlace(
      ReadingPlace.Offsets(caret: view.caret, top: view.top, outline: view.outline),
      caretRow: view.caretRow, query: view.query, percent: reader.percentRead,
      in: open.parsed.text.utf16, digest: digest, of: open.document?.id,
      library: library.location.folder, path: file, title: open.title)
    do { try places.keep(place) } catch { reader.notify(reason(error)) }
  }

  /// Notes that the current view is the one with which the text was opened, unless one was noted.
  func noteArrival() {
    if arrival == nil { arrival = reader.view }
  }
}
