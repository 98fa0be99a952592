import MarkdownParse
import SystemSupport
import Workspace

/// What is asked of the daemon over its socket (Documentation/daemon-protocol.md).
package struct ControlRequest: Hashable, Sendable, Codable {
  /// What can be asked.
  package enum Command: String, Hashable, Sendable, Codable, CaseIterable {
    /// How it is.
    case status
    /// Whether the library holds all that has happened to files until now.
    case settled
    /// To see whether the library has other documents than before.
    case documents
    /// Events from now on.
    case subscribe
    /// A full rescan.
    case rescan
    /// To gather changes without processing them.
    case pause
    /// To process them again.
    case resume
    /// To end.
    case stop
  }

  /// Comes back with the answer.
  package var id: Int
  /// What is asked; a word that is no command is answered with an error.
  package var command: String

  /// Asks something.
  package init(id: Int, _ command: Command) {
    self.id = id
    self.command = command.rawValue
  }
}

/// What the daemon says: an answer, which has the request's id, or an event, which has none.
package struct ControlMessage: Hashable, Sendable, Codable {
  /// The request's.
  package var id: Int?
  /// In an answer, the version of the protocol that the daemon speaks.
  package var version: Int?
  /// Why the request was refused.
  package var error: String?
  /// The answer to `status`.
  package var status: DaemonStatus?
  /// The answer to `settled`.
  package var settled: Bool?
  /// Beside `settled`, the version of the rendered text in which the library has all places.
  package var renderVersion: Int?
  /// Something that happened.
  package var event: LibraryEvent?

  /// An answer without content: it is done.
  package init(id: Int? = nil) { self.id = id }

  /// An answer to `settled`.
  package init(settled: Bool) {
    self.settled = settled
    renderVersion = ParsedDocument.renderVersion
  }

  /// Refuses what a daemon of another version says.
  func checkVersion() throws(UserError) {
    if version == ControlSocket.version { return }
    throw UserError(
      .conflict,
      "the daemon is of another version of Diple: it speaks protocol "
        + "\(version.map(String.init) ?? "0"), and this program \(ControlSocket.version)",
      hint:
        "\(command: "daemon", "stop") and \(command: "daemon", "start") replace it"
    )
  }

  /// Whether it says that a program which was built like this one need not check files itself.
  package var meansSettled: Bool {
    settled == true && renderVersion == ParsedDocument.renderVersion
  }
}

/// How the daemon is: `diple.daemon/1`.
package struct DaemonStatus: Hashable, Sendable, Codable {
  /// What it does.
  package enum State: String, Hashable, Sendable, Codable {
    /// It sets its watches and checks all documents for the first time.
    case starting
    /// It waits for something to happen.
    case watching
    /// It checks files.
    case working
    /// It gathers changes without processing them.
    case paused
  }

  /// What it does now.
  package var state: State
  /// Its process.
  package var process: Int32
  /// The library's folder.
  package var library: String
  /// Seconds since it began.
  package var uptime: Double
  /// How many documents it keeps true.
  package var documents: Int
  /// How many folders are watched.
  package var folders: Int
  /// Whether all that must be watched is; if not, all documents are checked from time to time.
  package var complete: Bool
  /// Whether it still puts texts into the index for search, while there is nothing else to do.
  package var indexing: Bool
  /// About how many things happened that it has not checked.
  package var pending: Int
  /// How many files it has checked because something happened to them.
  package var handled: Int
  /// In how many batches.
  package var batches: Int
  /// The number of full rescans.
  package var rescans: Int
  /// How often the event queue overflowed.
  package var overflows: Int
  /// How many wait for events.
  package var subscribers: Int
  /// What it could not watch since it began, newest last, and then the files that it cannot read now;
  /// at most twenty of each.
  package var problems: [String]

  /// A daemon that has done nothing yet.
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
