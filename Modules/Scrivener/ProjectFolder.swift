import Glibc
import SystemSupport

/// The files of a project: opened name by name from its folder, without following any link.
struct ProjectFolder {
  let path: String
  private let descriptor: DirectoryDescriptor

  /// How many bytes were read of all files.
  private(set) var total = 0

  /// The longest file, in bytes.
  static let fileLimit = 64 << 20
  /// The most bytes of all files.
  static let totalLimit = 2 << 30

  private final class DirectoryDescriptor: Sendable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }

  /// How many files were not read, because a link or something else stands in their place.
  private(set) var refused = 0

  init(_ path: String) throws(UserError) {
    self.path = path
    let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw FileSystem.systemError("open the project", path) }
    descriptor = DirectoryDescriptor(number)
  }

  /// The content of a file; nil when it is not there, or when a link or something else than a regular file
  /// stands in its place or above it.
  mutating func content(of names: [String]) throws(UserError) -> [UInt8]? {
    errno = 0
    guard let file = file(names) else {
      if errno != 0, errno != ENOENT { refused += 1 }
      return nil
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      refused += 1
      return nil
    }
    let name = names.joined(separator: "/")
    guard status.st_size <= Self.fileLimit, total + Int(status.st_size) <= Self.totalLimit else {
      throw UserError(.usage, "\(path): \(name) is too large")
    }
    do {
      let bytes = try Descriptor.content(of: file, limit: Self.fileLimit)
      total += bytes.count
      return bytes
    } catch { throw UserError(.notFound, "cannot read \(path)/\(name): \(error)") }
  }

  private func file(_ names: [String]) -> Int32? {
    var folder = descriptor.number
    defer { if folder != descriptor.number { close(folder) } }
    for (index, name) in names.enumerated() {
      guard !name.isEmpty, name != "..", name != ".", !name.utf8.contains(UInt8(ascii: "/")),
        !name.utf8.contains(0)
      else { return nil }
      let isLast = index == names.count - 1
      let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isLast ? 0 : O_DIRECTORY)
      let next = openat(folder, name, flags)
      guard next >= 0 else { return nil }
      if isLast { return next }
      if folder != descriptor.number { close(folder) }
      folder = next
    }
    return nil
  }

  /// The name of the file with the project's structure.
  func structureFile() throws(UserError) -> String {
    var names: [String] = []
    try FileSystem.forEachName(in: path) { name in
      if name.lowercased().hasSuffix(".scrivx"), !name.hasPrefix(".") { names.append(name) }
    }
    guard names.count == 1 else {
      throw UserError(
        .notFound,
        names.isEmpty
          ? "\(path) is not a Scrivener project: it has no .scrivx file"
          : "\(path) has \(names.count) .scrivx files",
        hint: names.isEmpty ? nil : "keep the one that Scrivener opens")
    }
    return names[0]
  }
}
