package import Console
import DaemonKit
import Model
import Rendering
import SystemSupport
import Workspace

extension CommandContext {
  /// The notices of the library's daemon between commands. It connects as soon as a daemon is
  /// running, and has no notices before that.
  package final class DaemonNotices {
    /// The maximum number of lines that are shown together. If there are more, the last one shows
    /// how many are omitted.
    private static let limit = 20
    private let context: CommandContext
    private let library: String?
    private var feed: ChangeFeed?

    /// Creates the notices for a context, without connecting.
    ///
    /// - Parameter library: The library's folder; nil if the user didn't name one.
    package init(_ context: CommandContext, library: String? = nil) {
      (self.context, self.library) = (context, library)
    }

    /// A descriptor that becomes readable when there are notices. Negative without a connection.
    package var descriptor: Int32 { feed?.descriptor ?? -1 }

    /// Connects to a running daemon. Call this before each prompt, because the daemon may have been
    /// started in the meantime.
    package func connect() {
      if let feed { return feed.connect() }
      let environment = context.terminal.environment
      let location = try? LibraryLocation.find(
        named: library, environment: environment, trust: LibraryTrust(environment: environment))
      feed = location.map { ChangeFeed($0, .daemon) }
    }

    /// Notifies the daemon that a command was run, so that it watches the folders of new documents.
    package func commandWasRun() { feed?.documentsMayBeNew() }

    /// Returns the lines of all new notices, without control characters.
    package func take() -> [String] {
      feed.map { Self.lines(of: $0.take().events, context.paths) } ?? []
    }

    /// Returns the lines of events, at most `limit`. If there are more, the last line reports how
    /// many are omitted.
    ///
    /// - Parameters:
    ///   - paths: how the user names the documents. The daemon has another current folder.
    ///   - listsLost: whether each highlight that lost its place has a line.
    static func lines(of events: [LibraryEvent], _ paths: ShownPaths, listsLost: Bool = true)
      -> [String]
    {
      let lines = events.flatMap { Self.lines(of: $0, paths, listsLost: listsLost) }
      // Checking out another branch must not fill the screen.
      guard lines.count > limit else { return lines }
      return lines.prefix(limit - 1) + [
        "… and \((lines.count - limit + 1).counted("more line")); `daemon logs` shows them"
      ]
    }

    private static func lines(of event: LibraryEvent, _ paths: ShownPaths, listsLost: Bool)
      -> [String]
    {
      var lines: [String] = []
      for document in event.documents {
        var summary = document.summary
        for path in [document.path, document.movedFrom ?? ""] where path.hasPrefix("/") {
          summary = summary.replacing(path, with: paths.name(ofFile: path))
        }
        lines.append(summary.sanitizedForTerminal)
        for lost in document.lost where listsLost {
          let name = (lost.name ?? lost.id).sanitizedForTerminal
          lines.append("  \(lost.state) \(name): “\(lost.quote.shortened)”")
        }
      }
      if event.kind == .problem, let message = event.message {
        lines.append(message.sanitizedForTerminal)
      }
      return lines
    }
  }
}
