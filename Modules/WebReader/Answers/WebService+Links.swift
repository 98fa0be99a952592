import Files
import MarkdownParse
import Model
import Rendering
import SystemSupport
import Workspace

extension WebService {
  /// The maximum number of distinct destinations to resolve. Further links are shown as plain text.
  private static let mostLinks = 4_000

  /// Returns the addresses of a document's links by their targets: pages of other documents in
  /// the library, and safe web addresses. Other local files are omitted.
  func links(of open: OpenDocument) async throws -> [String: String] {
    guard let document = open.document else { return [:] }
    var links: [String: String] = [:]
    var files: [String: [(destination: String, part: LinkPart?)]] = [:]
    let destinations = Set(open.parsed.links.map(\.target)).sorted().prefix(Self.mostLinks)
    let places = await library.places(ofLinks: Array(destinations), of: document)
    for (destination, place) in zip(destinations, places) {
      guard let place else { continue }
      if place.address != nil {
        if LinkSafety.isSafe(destination) { links[destination] = destination }
      } else if let path = place.file {
        files[path, default: []].append((destination, place.part))
      }
    }
    guard !files.isEmpty else { return links }
    for other in try await library.documents(at: files.keys.sorted()) {
      for (destination, part) in files[library.location.absolute(other.path)] ?? [] {
        let place = part.map { "#t-" + RequestTarget.encoded($0.text) } ?? ""
        links[destination] = "/d/\(other.id)\(place)"
      }
    }
    return links
  }

  // MARK: - Images

  /// The folder that contains the pictures of a document: the library's root, or the document's
  /// folder if the document isn't below a root.
  private func pictureFolder(of document: Document) -> String {
    let file = library.location.absolute(document.path)
    guard let root = library.location.root, file.isBelow(root) else { return file.parentFolder }
    return root
  }

  /// Returns a function that returns the address of an image, or nil if it is neither below the
  /// ``pictureFolder(of:)`` nor in a folder of the site around the document.
  func pictureAddresses(of open: OpenDocument) -> @Sendable (String) -> String? {
    guard let document = open.document, !document.path.isElsewhere else { return { _ in nil } }
    let file = library.location.absolute(document.path)
    let (folder, id) = (pictureFolder(of: document), document.id.description)
    let site = library.location.site(around: file)
    @Sendable func address(_ kind: String, _ path: String, below folder: String) -> String {
      let inside = path.dropFirst(folder == "/" ? 1 : folder.utf8.count + 1)
      let parts = inside.split(separator: "/").map { RequestTarget.encoded($0) }
      return "/\(kind)/\(id)/" + parts.joined(separator: "/")
    }
    return { destination in
      guard case .file(let path, nil) = LinkTarget(destination, from: file) else { return nil }
      if let site {
        for folder in site.folders(ofPicture: destination) where Library.isFile(folder + path) {
          return address("site", folder + path, below: site.folder)
        }
      }
      if path.isBelow(folder) { return address("files", path, below: folder) }
      // The picture of an embed is named by its absolute path.
      guard let site, site.folders(ofPicture: destination).contains(where: path.isBelow) else {
        return nil
      }
      return address("site", path, below: site.folder)
    }
  }

  /// Returns a function that returns the reason why an image isn't shown.
  func pictureReasons(of open: OpenDocument) -> @Sendable (String) -> String? {
    guard let document = open.document else { return { _ in nil } }
    let file = library.location.absolute(document.path)
    let folder = pictureFolder(of: document)
    let outside = Self.outside(folder, of: document, library.location)
    return { destination in
      switch LinkTarget(destination, from: file) {
      case .address(let address):
        LinkSafety.isSafe(address) || address.hasPrefix("//")
          ? "on the web, not loaded" : "not shown"
      case .file(let path, _):
        path.isBelow(folder) ? "not shown" : outside
      case .heading, .note: "not shown"
      }
    }
  }

  /// Returns the reason why an image outside a folder isn't shown.
  private static func outside(
    _ folder: String, of document: Document, _ location: LibraryLocation
  ) -> String {
    folder == location.root ? "outside the library's folder" : "outside the document's folder"
  }

  /// Returns an image below the ``pictureFolder(of:)``. Its type is determined by its contents, not
  /// its name. Throws ``UserError`` with the code `notFound` if the file is missing, outside the
  /// folder, too large or not a supported image.
  func picture(_ id: String, _ path: [String]) async throws -> WebAnswer {
    let document = try await document(id)
    return try picture(path, below: pictureFolder(of: document), of: document)
  }

  /// Returns an image in a folder of the site around a document, such as `static`. Throws the same
  /// errors as ``picture(_:_:)``.
  ///
  /// - Parameter path: the path below the site's folder.
  func sitePicture(_ id: String, _ path: [String]) async throws -> WebAnswer {
    let document = try await document(id)
    guard !document.path.isElsewhere else { throw UserError(.notFound, "no such picture") }
    let site = library.location.site(around: library.location.absolute(document.path))
    let asked = path.reduce(site?.folder ?? "") { $0.appending($1) }
    guard let site, let folder = site.folders(ofPicture: "/").first(where: asked.isBelow) else {
      throw UserError(.notFound, "no such picture")
    }
    let inside = asked.dropFirst(folder.count + 1).split(separator: "/").map(String.init)
    return try picture(inside, below: folder, of: document)
  }

  private func picture(_ path: [String], below folder: String, of document: Document) throws
    -> WebAnswer
  {
    let missing = UserError(.notFound, "no such picture")
    guard !document.path.isElsewhere else { throw missing }
    let asked = path.reduce(folder) { $0.appending($1) }
    guard let real = FileSystem.resolved(asked) else { throw missing }
    // Symbolic links must not lead out of the library or the folder.
    guard let base = FileSystem.resolved(folder), real.isBelow(base) else {
      throw UserError(.notFound, Self.outside(folder, of: document, library.location))
    }
    guard let file = try? library.location.file(linked: asked, from: document) else {
      throw missing
    }
    guard let bytes = EmbeddedFile.bytes(at: file, below: folder, longest: Picture.longest),
      let type = PictureType.of(bytes)
    else {
      let most = Picture.longest >> 20
      throw UserError(
        .notFound, "only pictures in PNG, JPEG, GIF, WebP or SVG of at most \(most) MiB are shown")
    }
    return .file(bytes, type: type)
  }
}

/// Determines the type of an image by its first bytes.
enum PictureType {
  /// Returns the media type, or nil for unknown types. A browser runs no script of an SVG image: an
  /// `img` element disables scripts and requests, and if a browser opens the image as a page, the
  /// policy of ``WebAnswer/file(_:type:)`` does.
  static func of(_ bytes: [UInt8]) -> String? {
    if let picture = Picture(bytes) {
      return switch picture.format {
      case .png: "image/png"
      case .jpeg: "image/jpeg"
      case .gif: "image/gif"
      }
    }
    if bytes.count > 16, bytes.starts(with: Array("RIFF".utf8)),
      bytes[8..<12].elementsEqual("WEBP".utf8)
    {
      return "image/webp"
    }
    return isSVG(bytes[...]) ? "image/svg+xml" : nil
  }

  /// Returns whether the root element of a text in UTF-8 is `svg`. A declaration, comments and
  /// processing instructions may precede it, and a document type without a list of entities, which
  /// could expand to a text of any length. O(bytes).
  private static func isSVG(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { return false }
    var rest = bytes
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      if rest.starts(with: "<?".utf8) {
        guard skip("?>", in: &rest) else { return false }
      } else if rest.starts(with: "<!--".utf8) {
        guard skip("-->", in: &rest) else { return false }
      } else if rest.starts(with: "<!DOCTYPE".utf8) {
        let type = rest.prefix { $0 != UInt8(ascii: ">") }
        guard type.endIndex < rest.endIndex, !type.contains(UInt8(ascii: "[")) else { return false }
        rest = rest[(type.endIndex + 1)...]
      } else {
        guard rest.starts(with: "<svg".utf8), let next = rest.dropFirst(4).first else {
          return false
        }
        return [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ">"), UInt8(ascii: "/")].contains(next)
      }
    }
  }

  /// Removes everything up to the end of a mark. Returns false if the mark is missing.
  private static func skip(_ mark: String, in rest: inout ArraySlice<UInt8>) -> Bool {
    guard let found = rest.firstRange(of: Array(mark.utf8)) else { return false }
    rest = rest[found.upperBound...]
    return true
  }
}
