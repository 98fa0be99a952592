import Glibc
import SystemSupport

/// The files of a project, opened component by component from its folder, without following
/// symbolic links.
struct ProjectFolder {
  let path: String
  private let descriptor: DirectoryDescriptor

  /// The number of bytes read from all files.
  private(set) var total = 0

  /// The maximum size of a file, in bytes.
  static let fileLimit = 64 << 20
  /// The maximum size of all files, in bytes.
  static let totalLimit = 2 << 30

  private final class DirectoryDescriptor: Sendable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }

  /// The number of skipped files that are a symbolic link or special file, or are below one.
  private(set) var refused = 0

  init(_ path: String) throws(UserError) {
    self.path = path
    let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw FileSystem.systemError("open the project", path) }
    descriptor = DirectoryDescriptor(number)
  }

  /// Reads a file. Nil if it is missing, or if it or a parent is a symbolic link or isn't a regular
  /// file or folder.
  ///
  /// - Throws: `UserError` if the file is too large or cannot be read.
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

  /// Returns the name of the project's `.scrivx` file.
  ///
  /// - Throws: `UserError` with the code `notFound` if there is none, or more than one.
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
