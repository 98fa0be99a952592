import Articles
import Model
import Sync

/// Parses WebDAV listings of folders.
enum WebDAVListing {
  /// A file or folder.
  struct Member: Hashable {
    /// The decoded last part of its path; any string.
    var name: String
    var isFolder: Bool
    /// The size in bytes; nil if the server doesn't state it.
    var size: Int?
    /// The time of its last change, in seconds since 1970; nil if the server doesn't state it.
    var changed: Int?
    /// Its entity tag, in the server's notation; empty if the server states none.
    var tag = ""
  }

  /// The body of a PROPFIND request.
  static let question = """
    <?xml version="1.0" encoding="utf-8"?>
    <propfind xmlns="DAV:"><prop>
    <resourcetype/><getcontentlength/><getlastmodified/><getetag/>
    </prop></propfind>
    """

  /// Parses a response. The result includes the folder itself. Nil if the response is invalid or
  /// too large. O(bytes).
  static func members(in bytes: [UInt8]) -> [Member]? {
    guard let tree = try? XMLReader.read(bytes), tree.isComplete,
      let top = tree.first("multistatus")
    else { return nil }
    return tree.elements(in: top).compactMap { response in
      guard tree.name(of: response) == "response", let href = tree.first("href", in: response),
        let name = name(in: tree.text(of: href))
      else { return nil }
      var member = Member(name: name, isFolder: false)
      for status in tree.elements(in: response) where tree.name(of: status) == "propstat" {
        // Missing properties are listed with a different status.
        let code = tree.first("status", in: status).map { tree.text(of: $0) } ?? "200"
        guard code.contains("200") else { continue }
        if tree.first("collection", in: status) != nil { member.isFolder = true }
        if let length = tree.first("getcontentlength", in: status),
          let size = Int(tree.text(of: length)), size >= 0
        {
          member.size = size
        }
        if let time = tree.first("getlastmodified", in: status) {
          member.changed = WebClient.seconds(tree.text(of: time))
        }
        if let tag = tree.first("getetag", in: status) { member.tag = tree.text(of: tag) }
      }
      return member
    }
  }

  /// Returns the decoded last part of a URL or path; nil if its encoding is invalid. The path is
  /// split before it is decoded: a name that contains an encoded slash remains one name, which no
  /// object has.
  private static func name(in href: String) -> String? {
    guard let part = href.split(separator: "/").last else { return nil }
    let (bytes, isValid) = PercentEncoding.decoded(part)
    guard isValid else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// The states of folders as of a listing, by which the next listing recognises unchanged folders.
/// A cursor contains the hash of each folder's path, time and entity tag.
struct FolderStamps {
  private var hashes: Set<UInt64> = []
  /// Whether a folder was unchanged.
  private(set) var hasMatched = false

  private static let hashSize = 8
  /// The age in seconds from which the time of a folder is compared. A folder that has changed
  /// twice within a second, the unit of these times, has the same time before and after.
  private static let settledAge = 3

  /// Creates the states that a cursor contains; none if it is nil or invalid.
  init(_ cursor: TransportCursor?) {
    guard let bytes = cursor?.bytes, bytes.count % Self.hashSize == 0 else { return }
    for start in stride(from: 0, to: bytes.count, by: Self.hashSize) {
      hashes.insert(bytes[start..<start + Self.hashSize].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  /// The states as a cursor; nil if there are no states, or too many for a cursor.
  var cursor: TransportCursor? {
    guard !hashes.isEmpty, hashes.count * Self.hashSize <= 4096 else { return nil }
    return TransportCursor(
      hashes.sorted().flatMap { hash in withUnsafeBytes(of: hash.bigEndian) { Array($0) } })
  }

  mutating func insert(_ path: String, _ folder: WebDAVListing.Member) {
    hashes.insert(Self.hash(path, folder))
  }

  /// Removes the present state of a folder, and returns whether the earlier listing had it.
  mutating func remove(_ path: String, _ folder: WebDAVListing.Member) -> Bool {
    let isKnown = hashes.remove(Self.hash(path, folder)) != nil
    hasMatched = hasMatched || isKnown
    return isKnown
  }

  private static func hash(_ path: String, _ folder: WebDAVListing.Member) -> UInt64 {
    stableHash(of: [path, "\(folder.changed ?? 0)", folder.tag])
  }

  /// Returns whether the next change of a folder will change the folder's state.
  ///
  /// Some servers state the time at which a folder was created, or none at all. Such a folder is
  /// older than its newest file.
  ///
  /// - Parameters:
  ///   - date: The server's time when it listed the folder; nil if it is unknown.
  ///   - members: The files in the folder, listed later.
  static func isReliable(
    _ folder: WebDAVListing.Member, at date: Int?, _ members: [WebDAVListing.Member]
  ) -> Bool {
    guard let changed = folder.changed, let date, date - changed >= settledAge else { return false }
    return members.allSatisfy { $0.isFolder || $0.changed.map { $0 <= changed } ?? false }
  }
}
