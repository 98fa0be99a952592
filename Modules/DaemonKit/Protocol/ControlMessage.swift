import MarkdownParse
import SystemSupport
import Workspace

/// A request to the daemon over its socket (`Documentation/daemon-protocol.md`).
package struct ControlRequest: Hashable, Sendable, Codable {
  /// The commands that clients can send. The raw values are part of the protocol.
  package enum Command: String, Hashable, Sendable, Codable, CaseIterable {
    /// Returns the daemon's status.
    case status
    /// Returns whether the library contains all changes of files until now.
    case settled
    /// Makes the daemon check whether the library has other documents than before.
    case documents
    /// Sends events from now on.
    case subscribe
    /// Starts a full rescan.
    case rescan
    /// Collects changes without processing them.
    case pause
    /// Processes changes again.
    case resume
    /// Stops the daemon.
    case stop
  }

  /// The number of the request, which the reply repeats.
  package var id: Int
  /// The command. An unknown command is answered with an error.
  package var command: String

  package init(id: Int, _ command: Command) {
    self.id = id
    self.command = command.rawValue
  }
}

/// A message from the daemon: a reply with the request's id, or an event without one.
package struct ControlMessage: Hashable, Sendable, Codable {
  /// The id of the request; nil for an event.
  package var id: Int?
  /// The daemon's protocol version; nil for an event.
  package var version: Int?
  /// The reason why the request was refused, or nil.
  package var error: String?
  /// The reply to `status`.
  package var status: DaemonStatus?
  /// The reply to `settled`.
  package var settled: Bool?
  /// With `settled`, the version of the rendered text to which the ranges in the library refer.
  package var renderVersion: Int?
  /// The event; nil for a reply.
  package var event: LibraryEvent?

  /// Creates a reply without content, which confirms the request.
  package init(id: Int? = nil) { self.id = id }

  /// Creates a reply to `settled`.
  package init(settled: Bool) {
    self.settled = settled
    renderVersion = ParsedDocument.renderVersion
  }

  /// Throws ``UserError`` if the message has another protocol version.
  func checkVersion() throws(UserError) {
    if version == ControlSocket.version { return }
    throw UserError(
      .conflict,
      "the daemon is of another version of Diple: it speaks protocol "
        + "\(version.map(String.init) ?? "0"), and this program \(ControlSocket.version)",
      hint:
        "\(tool: .stopDaemon) and \(tool: .startDaemon) replace it"
    )
  }

  /// Whether a program with this version of the rendered text can skip checking the files itself.
  package var meansSettled: Bool {
    settled == true && renderVersion == ParsedDocument.renderVersion
  }
}

/// The daemon's status: `diple.daemon/1`.
package struct DaemonStatus: Hashable, Sendable, Codable {
  /// The daemon's activity.
  package enum State: String, Hashable, Sendable, Codable {
    /// Adding its watches and checking all documents for the first time.
    case starting
    /// Waiting for changes.
    case watching
    /// Checking files.
    case working
    /// Collecting changes without processing them.
    case paused
  }

  /// The current activity.
  package var state: State
  /// The process id.
  package var process: Int32
  /// The library's folder.
  package var library: String
  /// The time since the start in seconds.
  package var uptime: Double
  /// The number of documents in the library.
  package var documents: Int
  /// The number of watched folders.
  package var folders: Int
  /// Whether all necessary folders are watched. If not, all documents are rescanned periodically.
  package var complete: Bool
  /// Whether texts are still being added to the search index, which happens when the daemon is
  /// idle.
  package var indexing: Bool
  /// The approximate number of unprocessed changes.
  package var pending: Int
  /// The number of files checked because of a change.
  package var handled: Int
  /// The number of batches in which they were checked.
  package var batches: Int
  /// The number of full rescans.
  package var rescans: Int
  /// The number of overflows of the event queue.
  package var overflows: Int
  /// The number of clients that wait for events.
  package var subscribers: Int
  /// The folders that could not be watched since the start, newest last, then the files that can't
  /// be read now; at most twenty of each.
  package var problems: [String]

  /// Creates the status of a daemon that has just started.
  package init(process: Int32, library: String) {
    state = .starting
    self.process = process
    self.library = library
    uptime = 0
    documents = 0
    folders = 0
    complete = true
    indexing = false
    pending = 0
    handled = 0
    batches = 0
    rescans = 0
    overflows = 0
    subscribers = 0
    problems = []
  }
}
