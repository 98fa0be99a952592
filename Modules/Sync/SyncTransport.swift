public import Model

/// Carries objects between replicas: a folder that Syncthing keeps the same, a git repository, a
/// server. It knows nothing of what is in them, and little is asked of it: what was put is there for
/// the others sooner or later, whole or not at all, and nothing is changed or deleted but by `delete`.
/// No locks, times or conditions are relied upon.
public protocol SyncTransport: Strategy where Example == TransportExample {
  /// Connects to a place.
  ///
  /// - Throws: `TransportError`: `.usage` for an address that can be none, `.absent` where there is
  ///   nothing, `.unavailable` when it cannot be reached now, `.refused` when it wants other
  ///   credentials.
  func connect(to place: TransportPlace) async throws(TransportError) -> any TransportConnection
}

/// Where a transport goes, as a person said it.
public struct TransportPlace: Hashable, Sendable {
  /// A path, an address or a connection string, by the transport's rules.
  public var address: String
  /// A folder of this machine that the transport may keep things in, which belongs to this place alone
  /// and can be deleted without loss: a clone of a repository, for example.
  public var cache: String

  /// Makes a place of its parts.
  public init(address: String, cache: String) {
    self.address = address
    self.cache = cache
  }
}

/// An open way to a place. Calls come one after another.
public protocol TransportConnection: Sendable {
  /// The objects that are there.
  ///
  /// - Parameter cursor: what an earlier listing ended with; then only what came after it needs to be
  ///   listed, and more does no harm. Nil for all.
  /// - Returns: names with sizes. What is no object's name is left out. Absence says nothing: an object
  ///   may not have arrived yet.
  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing
  /// The content of an object; nil when it is not there, or not whole yet as far as the transport knows.
  ///
  /// - Parameter limit: the most bytes; more is `.tooLarge`.
  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]?
  /// The first and the last bytes of an object, each at most `count`: what a reader needs to see whether it
  /// is worth reading. Nil where it is not there, or where this costs as much as all of it.
  func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds?
  /// Puts objects. On return they are stored as safely as the place can: a local disk has flushed them,
  /// a server has confirmed them. An object that is there already is left as it is; of
  /// one that has another size only a part is there, and it may be replaced. When this throws, some may
  /// be there; putting them again does no harm.
  func put(_ objects: [TransportObject]) async throws(TransportError)
  /// Deletes objects; one that is not there is no error.
  func delete(_ names: [ObjectName]) async throws(TransportError)
  /// Waits until something may have changed there.
  ///
  /// - Returns: false when the time is up; a transport that cannot know waits for all of it.
  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool
  /// Ends the connection.
  func close() async
}

extension TransportConnection {
  /// Nil: reading a part costs as much as reading all.
  public func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
    nil
  }
}

/// The first and the last bytes of an object.
public struct ObjectEnds: Hashable, Sendable {
  /// The first bytes.
  public var first: [UInt8]
  /// The last bytes.
  public var last: [UInt8]

  /// Makes ends of their bytes.
  public init(first: [UInt8], last: [UInt8]) { (self.first, self.last) = (first, last) }
}

/// An object with its content.
public struct TransportObject: Hashable, Sendable {
  /// Its name.
  public var name: ObjectName
  /// What is in it.
  public var bytes: [UInt8]

  /// Makes an object of its parts.
  public init(_ name: ObjectName, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// How far a place was listed, in a form that only its transport reads; at most 4096 bytes.
public struct TransportCursor: Hashable, Sendable {
  /// The transport's own bytes.
  public var bytes: [UInt8]

  /// Takes a transport's bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// What is at a place.
public struct TransportListing: Hashable, Sendable {
  /// An object's name and its size in bytes.
  public struct Entry: Hashable, Sendable {
    /// The name.
    public var name: ObjectName
    /// The size in bytes.
    public var size: Int

    /// Makes an entry of its parts.
    public init(_ name: ObjectName, size: Int) {
      self.name = name
      self.size = size
    }
  }

  /// The objects, in no order.
  public var entries: [Entry]
  /// Where the next listing can begin; nil when it has to list everything.
  public var cursor: TransportCursor?
  /// Whether these are all objects, and not only those after a cursor.
  public var isWhole: Bool

  /// Makes a listing of its parts.
  public init(_ entries: [Entry], cursor: TransportCursor? = nil, isWhole: Bool = true) {
    self.entries = entries
    self.cursor = cursor
    self.isWhole = isWhole
  }
}

extension Registry where Element == any SyncTransport {
  /// Appends a transport.
  package mutating func register<T: SyncTransport>(_ transport: T) {
    register(transport, as: T.self)
  }
}

/// An example of what a transport carries: what is put, push by push, and what must be listed then.
public struct TransportExample: Sendable {
  /// What it shows.
  public var title: String
  /// An address for the documentation.
  public var address: String
  /// What replicas put, one call after another.
  public var puts: [[TransportObject]]
  /// What is deleted then.
  public var deleted: [ObjectName]
  /// What must be there afterwards.
  public var held: [TransportObject]

  /// Makes an example of its parts.
  public init(
    _ title: String, address: String, puts: [[TransportObject]], deleted: [ObjectName] = [],
    held: [TransportObject]
  ) {
    self.title = title
    self.address = address
    self.puts = puts
    self.deleted = deleted
    self.held = held
  }
}

/// Why a transport could not do its work now.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of reason it is.
  public enum Kind: Hashable, Sendable {
    /// The address can be none.
    case usage
    /// There is nothing at the address.
    case absent
    /// The place cannot be reached or does not answer; the next attempt may succeed.
    case unavailable
    /// The place wants other credentials.
    case refused
    /// The place has no room.
    case full
    /// An object is larger than asked for.
    case tooLarge
    /// A program or library that the transport needs is not installed.
    case missingProgram
  }

  /// What kind of reason it is.
  public var kind: Kind
  /// One line: what and where. No password stands in it.
  public var description: String

  /// Makes an error of its parts.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
