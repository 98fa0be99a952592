import Articles
import Model

/// Parses WebDAV listings of folders.
enum WebDAVListing {
  /// A file or folder.
  struct Member: Hashable {
    /// The decoded last part of its path; any string.
    var name: String
    var isFolder: Bool
    /// The size in bytes; nil if the server doesn't state it.
    var size: Int?
  }

  /// The body of a PROPFIND request.
  static let question = """
    <?xml version="1.0" encoding="utf-8"?>
    <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/></prop></propfind>
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
