package import Model

/// Why an object of a vault is not read, or cannot be written.
package enum SegmentProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// Fewer bytes than any whole one has: perhaps it has not arrived yet.
  case tooShort
  /// It does not begin like one of ours, or not like one of the kind that its name says.
  case notOurs
  /// It is, or unpacked would be, larger than any may be.
  case tooLarge(size: Int, limit: Int)
  /// It is of another vault.
  case otherVault(VaultID)
  /// Its key is not known here.
  case unknownEpoch(Int)
  /// Its bytes are not those that were written: perhaps it has not arrived whole.
  case damaged
  /// Whoever wrote it has not the key of the device that it names.
  case badSignature
  /// It cannot be decrypted with the key of its epoch.
  case badSeal
  /// What is in it makes no sense.
  case badContent(String)
  /// Only a newer version of Diple can read it.
  case newerReader(Int)
  /// It is not what its name says.
  case nameMismatch(String)
  /// An operation is too large to be sent.
  case operationTooLarge(Dot, size: Int, limit: Int)
  /// The words of a highlight are too long to be sent.
  case quoteTooLong(Dot, size: Int, limit: Int)
  /// Parts that do not follow one another.
  case notContiguous

  /// One line.
  package var description: String {
    switch self {
    case .tooShort: "the file is cut short, or has not arrived whole yet"
    case .notOurs: "the kind of the file differs from its name"
    case .tooLarge(let size, let limit):
      "the file has \(size) bytes, more than the limit of \(limit)"
    case .otherVault(let vault): "the file belongs to another vault (\(vault))"
    case .unknownEpoch(let epoch): "the key of epoch \(epoch) is not known on this machine"
    case .damaged: "the file is damaged, or has not arrived whole yet"
    case .badSignature: "the file is not signed by the device that it names"
    case .badSeal: "the file cannot be decrypted with the key of this vault"
    case .badContent(let what): "the content of the file is not valid: \(what)"
    case .newerReader(let version):
      "the file needs a newer version of Diple (format \(version), this one reads up to \(Wire.version))"
    case .nameMismatch(let what): "the file differs from its name: \(what)"
    case .operationTooLarge(let dot, let size, let limit):
      "operation \(dot) has \(size) bytes, more than the \(limit) that can be sent"
    case .quoteTooLong(let dot, let size, let limit):
      "the text of a highlight (operation \(dot)) has \(size) bytes, more than the \(limit) that can be sent"
    case .notContiguous: "the segments do not follow one another"
    }
  }
}

/// Numbers of the format.
package enum Wire {
  /// The version that is written, and the newest that is read.
  package static let version = 1
  /// The most bytes that a segment, or a record of a device or an epoch, may have.
  package static let fileLimit = 16 << 20
  /// The most bytes that a snapshot may have.
  package static let snapshotLimit = 1 << 30
  /// The most bytes that a segment, or a part of a snapshot, may have when unpacked.
  package static let plainLimit = 64 << 20
  /// How many times as large as packed the content of a file may be at most.
  package static let ratioLimit = 20
  /// The most operations in a segment, or a part of a snapshot.
  package static let operationCountLimit = 100_000
  /// The most bytes of an operation, alone.
  package static let operationLimit = 2 << 20
  /// The most bytes of the words of a highlight, and of those on each side of it.
  package static let quoteLimit = 1 << 20
  /// The most bytes of the name of a field.
  package static let nameLimit = 64 << 10
  /// The most bytes of a text that is carried along.
  package static let textLimit = 8 << 20
  /// The most operations that one names as known to its writer.
  package static let basisLimit = 1000
  /// The largest sequence number.
  package static let sequenceLimit: Int64 = Int64.max >> 1
  /// The largest time, packed.
  package static let timeLimit: Int64 = Int64.max - 1 << 32
  /// The largest offset in a text, in UTF-16 units.
  package static let offsetLimit = 3 * 64 << 20
  /// The largest version of the rendering rules.
  package static let renderVersionLimit = 1 << 31
}
