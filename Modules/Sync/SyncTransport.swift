public import Model

/// Transfers objects between replicas, for example through a folder that Syncthing synchronises, a
/// git repository or a server.
///
/// A transport doesn't know the content of the objects. It must guarantee only that an object that
/// was put becomes visible to the other replicas eventually, either completely or not at all. Only
/// `delete` removes objects, and nothing changes them. Locks, times and conditional writes aren't
/// needed.
public protocol SyncTransport: Strategy where Example == TransportExample {
  /// Connects to a place.
  ///
  /// - Throws: `TransportError`: `.usage` if the address is invalid, `.absent` if nothing exists
  ///   there, `.unavailable` if it can't be reached now, `.refused` if it doesn't accept the
  ///   credentials.
  func connect(to place: TransportPlace) async throws(TransportError) -> any TransportConnection
  /// Prepares a place so that members can connect to it: creates or updates what they need there.
  /// It can be repeated.
  ///
  /// - Parameter members: The names of the accounts that get access.
  /// - Throws: `TransportError.Kind.usage`, without changing anything, if such places need no
  ///   preparation; otherwise the errors of `connect(to:)`.
  func prepare(_ place: TransportPlace, for members: [String]) async throws(TransportError)
}

extension SyncTransport {
  /// Throws `.usage`: such places need no preparation.
  public func prepare(_ place: TransportPlace, for members: [String]) async throws(TransportError) {
    throw TransportError(.usage, "a target of '\(Self.id)' needs no preparation")
  }
}

/// The place that a transport connects to, as the user specified it.
public struct TransportPlace: Hashable, Sendable {
  /// A path, a URL or a connection string, depending on the transport.
  public var address: String
  /// A local folder in which the transport may store files, such as a clone of a repository. It
  /// isn't shared with other places and can be deleted without loss.
  public var cache: String
  /// A file in PEM with the root certificates for the place's server; nil to use those that the
  /// system trusts.
  public var certificates: String?

  /// Creates a place. None of the strings is validated.
  public init(address: String, cache: String, certificates: String? = nil) {
    self.address = address
    self.cache = cache
    self.certificates = certificates
  }
}

/// A connection to a place. Its methods are called one after another, never concurrently.
public protocol TransportConnection: Sendable {
  /// Lists the objects at the place.
  ///
  /// - Parameter cursor: The cursor of an earlier listing, to list only the objects added since
  ///   then; the transport may list more. Nil lists all objects. A transport that can't be sure
  ///   which objects are new lists all of them.
  /// - Returns: The names and sizes of the objects. Files whose names aren't object names are left
  ///   out. An object that isn't listed may still arrive later.
  /// - Throws: `TransportError`: `.unavailable` if the place can't be reached now, `.refused` if it
  ///   doesn't accept the credentials, `.absent` if it no longer exists.
  func list(since cursor: TransportCursor?) async throws(TransportError) -> TransportListing
  /// Returns the content of an object; nil if it doesn't exist, or if the transport knows that it
  /// hasn't arrived completely.
  ///
  /// - Parameter limit: The maximum size in bytes.
  /// - Throws: `TransportError`: `.tooLarge` if the object exceeds `limit`, and the errors of
  ///   `list(since:)`.
  func get(_ name: ObjectName, limit: Int) async throws(TransportError) -> [UInt8]?
  /// Returns the first and the last bytes of an object, each at most `count`, from which a reader
  /// decides whether to read all of it. Nil if it doesn't exist, or if reading a part costs as much
  /// as reading everything.
  ///
  /// - Throws: The errors of `list(since:)`.
  func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds?
  /// Stores objects. When the method returns, they are stored as safely as the place allows:
  /// flushed to a local disk or confirmed by a server.
  ///
  /// An existing object of the same size is left unchanged. If the size differs, the object is
  /// incomplete and may be replaced.
  ///
  /// - Throws: `TransportError`: `.full` if the place has no space left, and the errors of
  ///   `list(since:)`. Some objects may have been stored; storing them again is harmless.
  func put(_ objects: [TransportObject]) async throws(TransportError)
  /// Deletes objects. Objects that don't exist are skipped.
  ///
  /// - Throws: The errors of `list(since:)`.
  func delete(_ names: [ObjectName]) async throws(TransportError)
  /// Waits until objects may have changed.
  ///
  /// - Returns: False if `time` elapsed. A transport that can't detect changes waits for the whole
  ///   time.
  /// - Throws: The errors of `list(since:)`.
  func waitForChange(upTo time: Duration) async throws(TransportError) -> Bool
  /// Closes the connection. No other method may be called afterwards.
  func close() async
}

extension TransportConnection {
  /// Returns nil: reading a part costs as much as reading everything. This default never throws.
  public func ends(of name: ObjectName, count: Int) async throws(TransportError) -> ObjectEnds? {
    nil
  }
}

/// The first and the last bytes of an object.
public struct ObjectEnds: Hashable, Sendable {
  /// The first bytes, at most as many as were requested.
  public var first: [UInt8]
  /// The last bytes. They overlap with the first if the object is short.
  public var last: [UInt8]

  /// Creates the ends of an object. The lengths aren't checked.
  public init(first: [UInt8], last: [UInt8]) { (self.first, self.last) = (first, last) }
}

/// An object to store: its name and its content.
public struct TransportObject: Hashable, Sendable {
  /// The name under which it is stored.
  public var name: ObjectName
  /// The content, encrypted or signed by its writer.
  public var bytes: [UInt8]

  /// Creates an object from its name and its content.
  public init(_ name: ObjectName, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// The position of a listing, in a form that only its transport understands; at most 4096 bytes.
public struct TransportCursor: Hashable, Sendable {
  /// The position, in the transport's encoding.
  public var bytes: [UInt8]

  /// Creates a cursor from the transport's encoding of a position.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// The objects at a place.
public struct TransportListing: Hashable, Sendable {
  /// The name and the size of an object.
  public struct Entry: Hashable, Sendable {
    /// The name, unique in the vault.
    public var name: ObjectName
    /// The size of the encrypted object in bytes.
    public var size: Int

    /// Creates an entry from a name and a size in bytes.
    public init(_ name: ObjectName, size: Int) {
      self.name = name
      self.size = size
    }
  }

  /// The objects, in any order.
  public var entries: [Entry]
  /// The position at which the next listing can begin; nil if it has to list everything.
  public var cursor: TransportCursor?
  /// Whether `entries` contains all objects rather than only those after a cursor.
  public var isWhole: Bool

  /// Creates a listing; by default of all objects.
  public init(_ entries: [Entry], cursor: TransportCursor? = nil, isWhole: Bool = true) {
    self.entries = entries
    self.cursor = cursor
    self.isWhole = isWhole
  }
}

extension Registry where Element == any SyncTransport {
  /// Appends a transport to the registry.
  package mutating func register<T: SyncTransport>(_ transport: T) {
    register(transport, as: T.self)
  }
}

/// An example of a transport's work: the objects to put and to delete, and the expected listing.
public struct TransportExample: Sendable {
  /// A heading that describes the example.
  public var title: String
  /// An address, shown in the documentation.
  public var address: String
  /// The objects to put, one call after another.
  public var puts: [[TransportObject]]
  /// The objects to delete after that.
  public var deleted: [ObjectName]
  /// The objects that must exist afterwards.
  public var held: [TransportObject]

  /// Creates an example; by default nothing is deleted.
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

/// The reason why a transport failed.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors, by what the user or Diple can do about them.
  public enum Kind: Hashable, Sendable {
    /// The address is invalid.
    case usage
    /// Nothing exists at the address.
    case absent
    /// The place can't be reached or doesn't respond. A later attempt may succeed.
    case unavailable
    /// The place doesn't accept the credentials.
    case refused
    /// The place has no space left.
    case full
    /// An object exceeds the size limit.
    case tooLarge
    /// A program or library that the transport needs isn't installed.
    case missingProgram
  }

  /// The kind of the error.
  public var kind: Kind
  /// A one-line message with the cause and the place. It contains no password.
  public var description: String

  /// Creates an error; the description must be a single line without passwords.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
