package import Model

/// The reasons why an object of a vault can't be read or written.
package enum SegmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file is smaller than any valid file. It may not have arrived completely.
  case tooShort
  /// The file doesn't have the header of the kind of object that its name specifies.
  case notOurs
  /// The file, or its decompressed content, exceeds the maximum size in bytes.
  case tooLarge(size: Int, limit: Int)
  /// The file belongs to another vault.
  case otherVault(VaultID)
  /// The key of the file's epoch isn't known on this device.
  case unknownEpoch(Int)
  /// The file doesn't match its hash. It may not have arrived completely.
  case damaged
  /// The file isn't signed with the keys of the device that it names.
  case badSignature
  /// The file can't be decrypted with the key of its epoch.
  case badSeal
  /// The content is invalid; the string is the reason.
  case badContent(String)
  /// The file requires this newer version of the format.
  case newerReader(Int)
  /// The file doesn't match its name; the string is the reason.
  case nameMismatch(String)
  /// An operation is too large to be sent.
  case operationTooLarge(Dot, size: Int, limit: Int)
  /// The quote or the context of a highlight is too long to be sent.
  case quoteTooLong(Dot, size: Int, limit: Int)
  /// The segments to merge aren't consecutive.
  case notContiguous

  /// A one-line message.
  package var description: String {
    switch self {
    case .tooShort: "the file is cut short, or has not arrived whole yet"
    case .notOurs: "the kind of the file differs from its name"
    case .tooLarge(let size, let limit):
      "the file has \(size) bytes, more than the limit of \(limit)"
    case .otherVault(let vault): "the file belongs to another vault (\(vault))"
    case .unknownEpoch(let epoch): "the key of epoch \(epoch) is not known on this device"
    case .damaged: "the file is damaged, or has not arrived whole yet"
    case .badSignature: "the file is not signed by the device that it names"
    case .badSeal: "the file cannot be decrypted with the key of this vault"
    case .badContent(let what): "the content of the file is not valid: \(what)"
    case .newerReader(let version):
      """
      the file needs a newer version of Diple (format \(version), this one reads up to \
      \(Wire.version))
      """
    case .nameMismatch(let what): "the file differs from its name: \(what)"
    case .operationTooLarge(let dot, let size, let limit):
      "operation \(dot) has \(size) bytes, more than the \(limit) that can be sent"
    case .quoteTooLong(let dot, let size, let limit):
      """
      the text of a highlight (operation \(dot)) has \(size) bytes, more than the \(limit) that \
      can be sent
      """
    case .notContiguous: "the segments do not follow one another"
    }
  }
}

/// The version and the limits of the sync format.
package enum Wire {
  /// The version that is written, and the newest version that can be read.
  package static let version = 1
  /// The maximum size in bytes of a segment or of a record of a device or an epoch.
  package static let fileLimit = 16 << 20
  /// The maximum size of a snapshot in bytes.
  package static let snapshotLimit = 1 << 30
  /// The maximum size in bytes of the decompressed content of a segment or of a part of a snapshot.
  package static let plainLimit = 64 << 20
  /// The maximum ratio of decompressed to compressed size.
  package static let ratioLimit = 20
  /// The maximum number of operations in a segment or in a part of a snapshot.
  package static let operationCountLimit = 100_000
  /// The maximum size of a single operation in bytes.
  package static let operationLimit = 2 << 20
  /// The maximum size in bytes of a highlight's quote, and of its prefix and its suffix.
  package static let quoteLimit = 1 << 20
  /// The maximum size of a field's name in bytes.
  package static let nameLimit = 64 << 10
  /// The maximum size of a carried text in bytes.
  package static let textLimit = 8 << 20
  /// The maximum number of other operations that an operation refers to as known.
  package static let basisLimit = 1000
  /// The largest sequence number.
  package static let sequenceLimit: Int64 = Int64.max >> 1
  /// The largest time, as a packed value.
  package static let timeLimit: Int64 = Int64.max - 1 << 32
  /// The largest offset in a text, in UTF-16 units.
  package static let offsetLimit = 3 * 64 << 20
  /// The largest version of the rendering rules.
  package static let renderVersionLimit = 1 << 31
}
