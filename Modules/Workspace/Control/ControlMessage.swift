import MarkdownParse

/// What is asked of the daemon over its socket (Documentation/daemon-protocol.md).
public struct ControlRequest: Hashable, Sendable, Codable {
  /// What can be asked.
  public enum Command: String, Hashable, Sendable, Codable, CaseIterable {
    /// How it is.
    case status
    /// Whether the library holds all that has happened to files until now.
    case settled
    /// To see whether the library has other documents than before.
    case documents
    /// Events from now on.
    case subscribe
    /// A look at all documents.
    case rescan
    /// To gather changes without looking at them.
    case pause
    /// To look at them again.
    case resume
    /// To end.
    case stop
  }

  /// Comes back with the answer.
  public var id: Int
  /// What is asked; a word that is no command is answered with an error.
  public var command: String

  /// Asks something.
  public init(id: Int, _ command: Command) {
    self.id = id
    self.command = command.rawValue
  }
}

/// What the daemon says: an answer, which has the request's id, or an event, which has none.
public struct ControlMessage: Hashable, Sendable, Codable {
  /// The request's.
  public var id: Int?
  /// In an answer, the version of the protocol that the daemon speaks.
  public var version: Int?
  /// Why the request was refused.
  public var error: String?
  /// The answer to `status`.
  public var status: DaemonStatus?
  /// The answer to `settled`.
  public var settled: Bool?
  /// Beside `settled`, the version of the rendered text in which the library has all places.
  public var renderVersion: Int?
  /// Something that happened.
  public var event: LibraryEvent?

  /// An answer without content: it is done.
  public init(id: Int? = nil) { self.id = id }

  /// An answer to `settled`.
  public init(settled: Bool) {
    self.settled = settled
    renderVersion = ParsedDocument.renderVersion
  }

  /// Refuses what a daemon of another version says.
  func checkVersion() throws(LibraryError) {
    if version == ControlSocket.version { return }
    throw LibraryError(
      .conflict,
      "the daemon is of another version of Diple: it speaks protocol "
        + "\(version.map(String.init) ?? "0"), and this program \(ControlSocket.version)",
      hint: "`diple daemon stop` and `diple daemon start` put this version in its place")
  }

  /// Whether it says that a program which was built like this one need not look at files itself.
  public var meansSettled: Bool {
    settled == true && renderVersion == ParsedDocument.renderVersion
  }
}

/// How the daemon is: `diple.daemon/1`.
public struct DaemonStatus: Hashable, Sendable, Codable {
  /// What it does.
  public enum State: String, Hashable, Sendable, Codable {
    /// It sets its watches and looks at all documents for the first time.
    case starting
    /// It waits for something to happen.
    case watching
    /// It looks at files.
    case working
    /// It gathers changes without looking at them.
    case paused
  }

  /// What it does now.
  public var state: State
  /// Its process.
  public var process: Int32
  /// The library's folder.
  public var library: String
  /// Seconds since it began.
  public var uptime: Double
  /// How many documents it keeps true.
  public var documents: Int
  /// How many folders are watched.
  public var folders: Int
  /// Whether all that must be watched is; if not, all documents are looked at from time to time.
  public var complete: Bool
  /// Whether it still puts texts into the index for search, while there is nothing else to do.
  public var indexing: Bool
  /// About how many things happened that it has not looked at.
  public var pending: Int
  /// How many files it has looked at because something happened to them.
  public var handled: Int
  /// In how many batches.
  public var batches: Int
  /// How often it looked at all documents.
  public var rescans: Int
  /// How often more happened at once than the system keeps.
  public var overflows: Int
  /// How many wait for events.
  public var subscribers: Int
  /// What it could not watch since it began, newest last, and then the files that it cannot read now;
  /// at most twenty of each.
  public var problems: [String]

  /// A daemon that has done nothing yet.
  public init(process: Int32, library: String) {
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
