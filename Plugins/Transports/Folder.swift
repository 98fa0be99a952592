import FoundationEssentials
import Glibc
public import Model
public import Sync

/// A folder that something else keeps the same on all machines. Each replica writes only files of
/// its own, each of them once and whole, so nothing can conflict.
public struct Folder: SyncTransport {
  /// The name by which it is chosen.
  public static let id = "folder"
  /// What it does, in one line.
  public static let summary = "a folder that Syncthing, a cloud drive or a network disk carries"
  /// What it must do; these are its tests.
  public static let examples = [
    TransportExample(
      "all at first", pushed: [[operation(1), operation(2)]], known: VersionVector(),
      pulled: [operation(1), operation(2)]),
    TransportExample(
      "only what is new", pushed: [[operation(1)], [operation(2), operation(3)]],
      known: knowing(2), pulled: [operation(3)]),
    TransportExample(
      "twice is once", pushed: [[operation(1)], [operation(1)]], known: VersionVector(),
      pulled: [operation(1)]),
    TransportExample(
      "nothing beyond a gap", pushed: [[operation(1)], [operation(3)]], known: VersionVector(),
      pulled: [operation(1)]),
  ]

  private static func operation(_ sequence: Int64) -> Model.Operation {
    let dot = Dot(replica: ReplicaID(rawValue: 7), sequence: sequence)
    return Model.Operation(
      dot: dot, time: Timestamp(milliseconds: sequence), group: sequence,
      record: .document(Document.ID(Dot(replica: ReplicaID(rawValue: 7), sequence: 1))),
      field: .title, value: .text("title \(sequence)"))
  }

  private static func knowing(_ sequence: Int64) -> VersionVector {
    var vector = VersionVector()
    for number in 1...sequence {
      _ = vector.add(Dot(replica: ReplicaID(rawValue: 7), sequence: number))
    }
    return vector
  }

  private let path: String

  /// Uses a folder, which must be there.
  public init(path: String) { self.path = path }

  /// Makes operations known to the other replicas.
  public func push(_ operations: [Model.Operation]) throws(TransportError) {
    guard !operations.isEmpty else { return }
    guard let name = Segment.Name(of: operations) else {
      throw TransportError("a segment has operations of one replica, without gaps")
    }
    let target = "\(path)/\(name)"
    if access(target, F_OK) == 0 { return }
    let folder = "\(path)/\(name.replica)"
    if mkdir(folder, 0o755) != 0, errno != EEXIST { throw failure("make", folder) }
    // Written beside, flushed, and named only when whole: nobody sees a half.
    let temporary = "\(folder)/.\(name.sequences.lowerBound).\(getpid()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("write", temporary) }
    defer {
      close(descriptor)
      unlink(temporary)
    }
    var rest = Segment.encode(operations)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 || errno == EINTR else { throw failure("write", temporary) }
      rest = rest.dropFirst(max(0, written))
    }
    guard fsync(descriptor) == 0 else { throw failure("write", temporary) }
    // A link, unlike a rename, never replaces.
    if link(temporary, target) != 0, errno != EEXIST { throw failure("write", target) }
  }

  /// What other replicas did that is not known yet.
  public func pull(after known: VersionVector) throws(TransportError) -> [Model.Operation] {
    var vector = known
    var result: [Model.Operation] = []
    for replica in try entries(path).sorted() where ReplicaID(replica) != nil {
      let names = try entries("\(path)/\(replica)").compactMap {
        Segment.Name("\(replica)/\($0)")
      }
      for name in names.sorted(by: { $0.sequences.lowerBound < $1.sequences.lowerBound })
      where name.sequences.upperBound > vector[name.replica] {
        // What is short or altered is not here yet; what comes after it waits.
        guard let bytes = read("\(path)/\(name)"),
          let operations = Segment.decode(bytes, named: name)
        else { break }
        for operation in operations where !vector.contains(operation.dot) {
          guard vector.add(operation.dot) else { break }
          result.append(operation)
        }
      }
    }
    return result
  }

  private func entries(_ folder: String) throws(TransportError) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw TransportError("cannot read the folder \(folder)")
    }
  }

  /// The content of a regular file; links are not followed.
  private func read(_ file: String) -> [UInt8]? {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileManager.default.contents(atPath: file).map { Array($0) }
  }

  private func failure(_ action: String, _ path: String) -> TransportError {
    TransportError("cannot \(action) \(path): \(String(cString: strerror(errno)))")
  }
}
