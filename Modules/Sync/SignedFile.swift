import Model

/// The common structure of all objects of a vault: a header that isn't encrypted, a body, the
/// BLAKE2b of both, and a signature of that hash.
struct SignedFile {
  /// The kinds of objects, with their numbers in the format.
  enum Kind: UInt8 {
    case segment = 1
    case snapshot = 2
    case device = 3
    case epoch = 4
    case request = 5
    case grant = 6
    case state = 7
  }

  /// The fields before the body. They aren't encrypted.
  struct Header: Hashable {
    var kind: Kind
    /// The oldest version of the format that can read the object.
    var minReader = 1
    var vault: VaultID
    var replica: ReplicaID
    /// The epoch whose key seals the body; 0 for none.
    var epoch: Int
    /// The first and the last sequence number of a segment. For a snapshot 0 and the writer's last
    /// sequence number, for other objects 0 and 0.
    var first: Int64 = 0
    var last: Int64 = 0

    static let size = 52
    static let magic = Array("DIPL".utf8)

    var bytes: [UInt8] {
      var writer = ByteWriter()
      writer.raw(Self.magic)
      writer.byte(kind.rawValue)
      writer.byte(UInt8(Wire.version))
      writer.byte(UInt8(minReader))
      writer.byte(0)
      writer.raw(vault.bytes)
      writer.fixed(replica.rawValue)
      writer.fixed(UInt32(epoch))
      writer.fixed(first)
      writer.fixed(last)
      return writer.bytes
    }
  }

  static let trailerSize = 32 + 64

  let header: Header
  let bytes: [UInt8]

  /// The body. It is untrusted until the signature is verified.
  var body: ArraySlice<UInt8> { bytes[Header.size..<bytes.count - Self.trailerSize] }

  // MARK: - Writing

  /// Returns `bytes`, followed by their hash and the signature of the hash.
  static func signed(_ bytes: consuming [UInt8], device: DeviceKeys) -> [UInt8] {
    let hash = Sodium.hash(bytes)
    bytes += hash
    bytes += device.signature(of: hash)
    return bytes
  }

  // MARK: - Reading

  /// Parses the header of an object and compares it with the name. Does not verify the signature.
  ///
  /// - Throws: ``SegmentError``:
  ///   - `tooLarge` or `tooShort` if the size is out of range
  ///   - `notOurs`, `otherVault` or `nameMismatch` if the header doesn't match `name`
  ///   - `newerReader` if the object requires a newer version
  ///   - `damaged` if its hash doesn't match `name`.
  init(_ bytes: [UInt8], named name: ObjectName, limit: Int = Wire.fileLimit)
    throws(SegmentError)
  {
    guard bytes.count <= limit else { throw .tooLarge(size: bytes.count, limit: limit) }
    guard bytes.count >= Header.size + Self.trailerSize else { throw .tooShort }
    header = try Self.header(bytes, named: name)
    guard name.syncFile?.hash == SyncFileName.hash(of: bytes) else { throw .damaged }
    self.bytes = bytes
  }

  /// Verifies the first and the last bytes of an object: whether the header matches the name, and
  /// whether the device signed the hash in the trailer. It does not detect changes to the body.
  ///
  /// - Parameter signer: The public keys of the replica in the name.
  /// - Throws: ``SegmentError``:
  ///   - `tooShort` if an end has too few bytes
  ///   - `notOurs`, `otherVault`, `nameMismatch` or `newerReader` if the header is unacceptable
  ///   - `badSignature` if `signer` didn't sign the hash.
  static func check(_ ends: ObjectEnds, of name: ObjectName, _ signer: DevicePublicKeys)
    throws(SegmentError)
  {
    guard ends.first.count >= Header.size, ends.last.count >= Self.trailerSize else {
      throw .tooShort
    }
    _ = try header(ends.first, named: name)
    let trailer = ends.last.suffix(Self.trailerSize)
    guard signer.isSignature(Array(trailer.dropFirst(32)), of: Array(trailer.prefix(32))) else {
      throw .badSignature
    }
  }

  /// Parses the header of an object and compares it with the name.
  private static func header(_ bytes: [UInt8], named name: ObjectName) throws(SegmentError)
    -> Header
  {
    var reader = ByteReader(bytes)
    guard try reader.raw(4).elementsEqual(Header.magic) else { throw .notOurs }
    let kind = try reader.byte()
    let version = Int(try reader.byte())
    let minReader = Int(try reader.byte())
    guard minReader <= Wire.version else { throw .newerReader(minReader) }
    guard let kind = Kind(rawValue: kind), minReader > 0, version >= minReader,
      try reader.byte() == 0
    else { throw .notOurs }
    guard let vault = VaultID(bytes: Array(try reader.raw(16))) else { throw .notOurs }
    let replica = ReplicaID(rawValue: try reader.fixed())
    let epoch = Int(try reader.fixed(UInt32.self))
    let header = Header(
      kind: kind, minReader: minReader, vault: vault, replica: replica, epoch: epoch,
      first: try reader.fixed(), last: try reader.fixed())
    guard vault == name.vault else { throw .otherVault(vault) }
    guard replica == name.replica else {
      throw .nameMismatch("it was written by replica \(replica)")
    }
    try check(header, name.syncFile)
    return header
  }

  private static func check(_ header: Header, _ name: SyncFileName?) throws(SegmentError) {
    let (first, last) = (header.first, header.last)
    switch (name?.kind, header.kind) {
    case (.segment(let range), .segment):
      guard range.lowerBound == first, range.upperBound == last else {
        throw .nameMismatch("it contains operations \(first) to \(last)")
      }
    case (.snapshot(let number), .snapshot):
      guard first == 0, last == number else {
        throw .nameMismatch("it was written after operation \(last)")
      }
    case (.epoch(let epoch), .epoch):
      guard first == 0, last == 0, header.epoch == epoch else {
        throw .nameMismatch("it is of epoch \(header.epoch)")
      }
    case (.device, .device), (.request, .request), (.grant, .grant), (.state, .state):
      guard first == 0, last == 0 else { throw .notOurs }
    default: throw .notOurs
    }
  }

  /// Verifies the hash and its signature.
  ///
  /// - Throws: `SegmentError.damaged` if the hash doesn't match, `.badSignature` if `signer` didn't
  ///   sign it.
  func verify(_ signer: DevicePublicKeys) throws(SegmentError) {
    try verifyHash()
    guard signer.isSignature(Array(trailer.dropFirst(32)), of: Array(trailer.prefix(32))) else {
      throw .badSignature
    }
  }

  /// Verifies the hash, but not the writer.
  ///
  /// - Throws: `SegmentError.damaged` if the hash doesn't match.
  func verifyHash() throws(SegmentError) {
    let content = bytes[..<(bytes.count - Self.trailerSize)]
    guard Sodium.areEqual(Sodium.hash(content), Array(trailer.prefix(32))) else { throw .damaged }
  }

  private var trailer: ArraySlice<UInt8> { bytes.suffix(Self.trailerSize) }
}
