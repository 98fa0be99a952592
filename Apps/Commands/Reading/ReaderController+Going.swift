import Console
import DaemonKit
import Editing
import MarkdownParse
import Model
import Reader
import Rendering
import SystemSupport
import Workspace

extension ReaderController {
  /// A text in the reader's history and the visited positions in it.
  struct Stop {
    var name: String
    var places: Reader.Places
  }

  /// Opens another document or file without changing the history.
  func move(to name: String) async throws {
    keepPlace()
    open = try await openText(named: name)
    reader.replace(await Self.text(open, name, library)) { _ in nil }
    reader.begin()
    becomeCurrent(name)
  }

  /// Opens another text, adds the current one to the history and clears the forward history.
  func openDocument(named name: String) async throws {
    let here = Stop(name: self.name, places: reader.positionForLeaving)
    try await move(to: name)
    trail.append(here)
    ahead = []
    (reader.canLeave, reader.canAdvance) = (true, false)
  }

  /// Goes back to the previous text in the history. Does nothing at its start.
  func leave() async throws {
    guard let last = trail.last else { return }
    // If the user has moved in this text since going back, the forward history is obsolete.
    if !reader.canAdvance { ahead = [] }
    let here = Stop(name: name, places: reader.places)
    try await move(to: last.name)
    trail.removeLast()
    ahead.append(here)
    arrive(last)
  }

  /// Goes forward to the text that was left by going back.
  func advance() async throws {
    guard let next = ahead.last else { return }
    let here = Stop(name: name, places: reader.places)
    try await move(to: next.name)
    ahead.removeLast()
    trail.append(here)
    arrive(next)
  }

  private func arrive(_ stop: Stop) {
    reader.restore(stop.places)
    (reader.canLeave, reader.canAdvance) = (!trail.isEmpty, !ahead.isEmpty)
  }

  func follow(_ destination: String) async throws {
    let place = try await library.place(ofLink: destination, in: file, of: open.document)
    if let address = place.address {
      guard LinkSafety.isSafe(address, below: library.location.root) else {
        throw UserError(.usage, "the link leads to \(address), which the reader does not open")
      }
      return reader.offer(address)
    }
    if let path = place.file {
      try await openDocument(named: context.paths.name(ofFile: path))
    }
    guard let part = place.part else { return }
    guard let range = LinkParts(open.parsed).range(of: part) else { throw UserError.noPart(part) }
    reader.go(to: range.lowerBound)
    if place.file != nil { reader.arrive() }
  }

  /// Reads the links of the text and the links to it, and shows them in a panel.
  func readLinks() async throws {
    let report = try await library.links(of: open, file: file)
    var panel = LinkPanel()
    panel.links = report.links.map {
      .init($0.listed(context.paths), .follow($0.destination))
    }
    panel.backlinks = report.backlinks.compactMap { link in
      guard let document = link.document else { return nil }
      let place = "\(context.shown(document.path)):\(link.position.line)"
      return .init("\(place)  \(link.excerpt)", .visit(.place(document.id, link.position)))
    }
    panel.unresolved = report.unresolved.map {
      .init($0.complaint, .go($0.range.lowerBound))
    }
    reader.show(panel)
  }

  /// Opens a web address with `xdg-open`. The user has seen and confirmed the address.
  func open(_ address: String) {
    guard LinkSafety.isSafe(address, below: library.location.root) else {
      reader.message = "\(address) is not opened"
      return
    }
    let code = try? Program("xdg-open", [LinkSafety.encoded(address)]).run(output: .discarded)
    reader.message = code == 0 ? "opened \(address)" : "xdg-open could not open \(address)"
  }

  // MARK: - The lines of an answer

  /// Goes to the destination of a line. Going back returns to the current position.
  func visit(_ destination: Destination) async throws {
    switch destination {
    case .document(let id): try await openDocument(named: id.description)
    case .highlight(let id):
      let highlight = try await library.highlight(id: id)
      let isElsewhere = try await openDocument(with: highlight.document)
      // Use the position in the current version of the text.
      guard reader.select(highlight: highlight.id) else {
        throw UserError(.nothing, "highlight \(highlight.shortID) has no place in the text")
      }
      if isElsewhere { reader.arrive() }
    case .tag(let name): await run(["list", "--tag", name])
    case .place(let id, let place):
      let isElsewhere = try await openDocument(with: id)
      guard let byte = open.parsed.sourceLines.byte(at: place) else {
        throw UserError(.nothing, "the text has no position \(place.line):\(place.column)")
      }
      reader.go(to: open.parsed.map.textOffset(ofSource: byte, bias: .trailing))
      if isElsewhere { reader.arrive() }
    }
  }

  /// Opens a document unless it is open. Returns false if it was open already.
  func openDocument(with id: Document.ID) async throws -> Bool {
    if id == open.document?.id { return false }
    try await openDocument(named: id.description)
    return true
  }

  /// Goes to a highlight of the open document. Shows a message if it has no position.
  ///
  /// - Parameter id: The number, or the id or the beginning of it.
  package func begin(atHighlight id: String) async {
    do { try await visit(.highlight(try await library.highlight(id).id)) } catch {
      reader.message = reason(error)
    }
    arrival = reader.view
  }

  /// Opens another document at the place where the user stopped reading it. Going back returns to
  /// this one.
  func read(_ name: String, startsAtTop: Bool = false) async {
    do {
      try await openDocument(named: name)
      if !startsAtTop { await resumePlace() }
    } catch { reader.message = reason(error) }
  }
}
