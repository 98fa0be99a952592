import Console
import DaemonKit
import MarkdownParse
import Model
import Reader
import SystemSupport
import Workspace

extension ReaderController {
  /// A text that somebody went on from, and where they were in it.
  struct Stop {
    var name: String
    var places: Reader.Places
  }

  /// Goes to another document or file.
  func move(to name: String) async throws {
    open = try await context.open(name, globals)
    reader.replace(Self.text(open, name, library)) { _ in nil }
    reader.begin()
    becomeCurrent(name)
  }

  private var name: String { open.document.map(\.id.description) ?? file }

  /// Goes to another text; back leads to this one, and nothing is ahead any more.
  private func goOn(to name: String) async throws {
    let here = Stop(name: self.name, places: reader.placesBehind)
    try await move(to: name)
    trail.append(here)
    ahead = []
    (reader.canLeave, reader.canAdvance) = (true, false)
  }

  /// Goes back to the text that led to this one.
  func leave() async throws {
    guard let last = trail.last else { return }
    // Whoever went elsewhere in this text has left what was ahead of it.
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
    switch LinkTarget(destination, from: file) {
    case .heading(let slug): try go(to: slug)
    case .file(let path, let slug):
      guard Library.isFile(path) else { throw UserError(.notFound, "no such file: \(path)") }
      try await goOn(to: path)
      if let slug { try go(to: slug) }
    case .address(let address):
      guard LinkSafety.isSafe(address) else {
        throw UserError(.usage, "it leads to \(address), which is not opened from here")
      }
      let code = try? Program("xdg-open", [address]).run(output: .discarded)
      reader.message = code == 0 ? "opened \(address)" : "it leads to \(address)"
    }
  }

  func go(to slug: String) throws {
    guard let heading = open.parsed.heading(slug: slug) else {
      throw UserError(.nothing, "there is no heading '#\(slug)'")
    }
    reader.go(to: heading.lowerBound)
  }

  /// Reads another document here; back leads to this one.
  func read(_ name: String) async {
    do { try await goOn(to: name) } catch { reader.message = reason(error) }
  }
}
