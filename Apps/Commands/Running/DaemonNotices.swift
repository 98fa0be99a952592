package import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

extension CommandContext {
  /// What the daemon of this context's library tells while nobody runs a command. It connects as
  /// soon as there is one, and does nothing as long as there is none.
  package final class DaemonNotices {
    /// How many lines are shown at once.
    private static let limit = 20
    private let context: CommandContext
    private let library: String?
    private var daemon: DaemonClient?

    /// For a context of its own accord: nothing is opened yet.
    ///
    /// - Parameter library: the library's folder, when one was named.
    package init(_ context: CommandContext, library: String? = nil) {
      (self.context, self.library) = (context, library)
    }

    /// Readable when there are notices; negative when no daemon runs.
    package var descriptor: Int32 { daemon?.descriptor ?? -1 }

    /// Connects if there is a daemon by now. Called before each line, because it may have begun.
    package func connect() {
      if daemon != nil { return }
      guard
        let location = try? LibraryLocation.find(
          named: library, environment: context.terminal.environment,
          trust: LibraryTrust(environment: context.terminal.environment)),
        let client = DaemonClient(location), (try? client.ask(.subscribe, timeout: 500)) != nil
      else { return }
      daemon = client
    }

    /// Tells the daemon that a command was run, which may have brought in documents.
    package func commandWasRun() {
      guard let daemon else { return }
      if (try? daemon.ask(.documents, timeout: 500)) == nil { self.daemon = nil }
    }

    /// The lines to show, safe for a terminal.
    package func take() -> [String] {
      guard let daemon else { return [] }
      guard let events = try? daemon.takeEvents() else {
        self.daemon = nil
        return []
      }
      return Self.lines(of: events)
    }

    /// The lines of events, at most `limit` of them.
    static func lines(of events: [LibraryEvent]) -> [String] {
      let lines = events.flatMap(lines)
      // A checkout of another branch must not sweep the screen away.
      guard lines.count > limit else { return lines }
      return lines.prefix(limit - 1) + [
        "… and \((lines.count - limit + 1).counted("more line")); `daemon logs` shows them"
      ]
    }

    private static func lines(of event: LibraryEvent) -> [String] {
      var lines: [String] = []
      for document in event.documents {
        lines.append(document.summary.sanitizedForTerminal)
        for lost in document.lost {
          let number = lost.id.prefix { $0 != "-" }
          lines.append("  \(lost.state) \(number): “\(lost.quote.shortened)”")
        }
      }
      if event.kind == .problem, let message = event.message {
        lines.append(message.sanitizedForTerminal)
      }
      return lines
    }
  }
}
