import Model

/// What every object of a vault looks like: a header that anybody can read, a body, the BLAKE2b of
/// both, and a signature of that.
struct SignedFile {
  /// The numbers of the kinds of objects.
  enum Kind: UInt8 {
    case segment = 1
    case snapshot = 2
    case device = 3
    case epoch = 4
    case request = 5
    case grant = 6
    case state = 7
  }

  /// What stands before the body, in the clear.
  struct Header: Hashable {
    var kind: Kind
    /// The oldest version of Diple that can make sense of the object.
    var minReader = 1
    var vault: VaultID
    var replica: ReplicaID
    /// Whose key the body is sealed with; 0 for none.
    var epoch: Int
    /// The sequences that a segment covers, or 0 and the last that a snapshot's writer made.
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

  /// The body; what stands in it is believed by nobody before the signature is checked.
  var body: ArraySlice<UInt8> { bytes[Header.size..<bytes.count - Self.trailerSize] }

  // MARK: - Writing

  /// The bytes of an object.
  static func seal(_ header: Header, body: [UInt8], device: DeviceKeys) -> [UInt8] {
    signed(header.bytes + body, device: device)
  }

  /// Some bytes with their hash and its signature.
  static func signed(_ bytes: [UInt8], device: DeviceKeys) -> [UInt8] {
    let hash = Sodium.hash(bytes)
    return bytes + hash + device.signature(of: hash)
  }

  // MARK: - Reading

  /// Reads the header of an object and compares it with the name; nothing is trusted yet.
  init(_ bytes: [UInt8], named name: ObjectName, limit: Int = Wire.fileLimit)
    throws(SegmentError)
  {
    guard bytes.count <= limit else { throw .tooLarge(size: bytes.count, limit: limit) }
    guard bytes.count >= Header.size + Self.trailerSize else { throw .tooShort }
    header = try Self.header(bytes, named: name)
    guard name.syncFile?.hash == SyncFileName.hash(of: bytes) else { throw .damaged }
    self.bytes = bytes
  }

  /// Checks what the first and the last bytes of an object show: whether it is what its name says, and
  /// whether the device signed the hash that is in it. What is between may be altered all the same.
  ///
  /// - Parameter signer: the keys of the replica that the name says.
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

  /// Reads the header of an object and compares it with the name.
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
        throw .nameMismatch("it holds operations \(first) to \(last)")
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

  /// Checks that the bytes are those that were written, and by whom.
  func verify(_ signer: DevicePublicKeys) throws(SegmentError) {
    try verifyHash()
    guard signer.isSignature(Array(trailer.dropFirst(32)), of: Array(trailer.prefix(32))) else {
      throw .badSignature
    }
  }

  /// Checks that the bytes are those that somebody wrote.
  func verifyHash() throws(SegmentError) {
    let content = bytes[..<(bytes.count - Self.trailerSize)]
    guard Sodium.areEqual(Sodium.hash(content), Array(trailer.prefix(32))) else { throw .damaged }
  }

  private var trailer: ArraySlice<UInt8> { bytes.suffix(Self.trailerSize) }
}
