import Console
import DaemonKit
import Model
import Reader
import Search
import SystemSupport
import Workspace

extension ReaderController {
  /// Makes the reader's search available to the command `replace WITH`.
  func offerMatches() {
    context.selection.replacing = nil
    let asked = reader.showsMatches ? asked : nil
    guard let document = open.document,
      let query = asked?.query ?? (try? SearchQuery(reader.searchText))
    else {
      context.selection.find = nil
      return
    }
    let (all, place) = reader.matches
    context.selection.find = SelectionState.DocumentFind(
      session: FindSession(
        query: query, strategy: asked?.strategy ?? "literal", matches: all, from: place),
      name: document.id.description)
  }

  /// Shows the matches of the command `find`, which the user typed with options. Opens the text if
  /// it is another one.
  func showFound() async throws {
    guard let find = context.selection.find else { return }
    let session = find.session
    if let found = find.name, found != name { try await openDocument(named: found) }
    asked = (session.query, session.strategy)
    let strategy = try? context.libraries.plugins.search.strategy(session.strategy)
    reader.show(matches: session.matches, of: session.query.text) { text in
      ((try? strategy?.matches(session.query, in: text)) ?? []).map(\.range)
    }
  }

  /// Carries out the user's answer about a match and asks about the next one.
  func take(_ answer: Reader.Answer) async throws {
    guard var session = context.selection.replacing else { return reader.stopAsking() }
    context.selection.replacing = nil
    reader.stopAsking()
    let wanted: ReplaceSession.Answer =
      switch answer {
      case .yes: .yes
      case .no: .no
      case .all: .all
      case .quit: .quit
      }
    let library = try context.libraries.library(globals, .existing)
    let report = try await session.take(wanted, in: library)
    if report != nil { await reload() }
    var refused = ""
    if let count = report?.refused.count, count > 0 {
      refused = "\(count.counted("match")) skipped, as the markup would break · "
    }
    let isOver = answer == .quit || answer == .all
    guard !isOver, let next = try await session.advance(in: library) else {
      reader.collapse()
      reader.message = refused + session.summary
      return
    }
    context.selection.replacing = session
    reader.ask(refused + next.question, about: next.edit.range)
  }
}
