import Files
package import FoundationEssentials
import Glibc
package import Model
package import SystemSupport

/// The places where the user stopped reading, one file for each text in the folder `diple/places`
/// of the XDG state folder. Only the user can read the files, because they contain words of the
/// texts.
///
/// Each file is replaced as a whole, so several readers can store places at the same time. A place
/// that was stored later replaces an earlier one of the same text.
package struct ReadingPlaces: Sendable {
  /// The maximum number of places. If there are more, the oldest ones are deleted.
  package static let most = 1_000
  /// The maximum size of a file in bytes. A place of the longest words takes a fifth of it.
  private static let mostBytes = 64 << 10
  /// The extension of a file that could not be read.
  private static let damaged = ".damaged"

  /// The folder of the files.
  package let folder: String

  /// Finds the folder of the user to whom an environment belongs. Returns nil if there is no state
  /// folder.
  package init?(environment: [String: String]) {
    guard let state = StandardFolders(environment: environment).state else { return nil }
    folder = state + "/diple/places"
  }

  /// Returns the place of a text: that of the document, or else that of the file, which may have
  /// been read before it was added. Returns nil if none is stored.
  ///
  /// - Parameter path: the absolute path of the file.
  /// - Throws: `damaged` if the file of the place is damaged. It is renamed, so that this error
  ///   occurs once.
  package func place(of document: Document.ID?, at path: String) throws(UserError)
    -> ReadingPlace?
  {
    if let document, let place = try stored(Self.name(document.description)),
      place.document == document.description
    {
      return place
    }
    let place = try stored(Self.name(path))
    return place?.path == path ? place : nil
  }

  /// Stores a place as the newest. Deletes the oldest place if there are too many.
  ///
  /// - Throws: `conflict` if the folder or the file cannot be written.
  package func keep(_ place: ReadingPlace) throws(UserError) {
    let file = folder + "/" + Self.name(place.document ?? place.path)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let content = try? encoder.encode(place), content.count <= Self.mostBytes else { return }
    do throws(SystemCallError) {
      try PrivateFile.makeFolder(folder)
      var status = stat()
      let isNew = lstat(file, &status) != 0
      try AtomicReplacement.write(Array(content), to: file, mode: 0o600)
      if isNew { deleteOldest() }
    } catch { throw UserError(.conflict, "cannot write \(file): \(error)") }
  }

  /// Makes the stored place of a text the newest without changing it.
  package func renew(_ place: ReadingPlace) {
    _ = utimensat(AT_FDCWD, folder + "/" + Self.name(place.document ?? place.path), nil, 0)
  }

  /// The places and the times at which they were stored, newest first. Damaged files are skipped.
  /// O(places).
  package var latest: [(place: ReadingPlace, time: Date)] {
    files.sorted { $0.time > $1.time }.prefix(Self.most).compactMap { file in
      guard !file.name.hasSuffix(Self.damaged), let place = try? read(file.name) else { return nil }
      return (place, Date(timeIntervalSince1970: file.time))
    }
  }

  // MARK: - Files

  /// Returns the name of the file of a text.
  ///
  /// - Parameter key: the id of a document, or a path.
  private static func name(_ key: String) -> String {
    String(ContentDigest(sha256: Array(key.utf8)).description.prefix(32))
  }

  private static func isName(_ name: String) -> Bool {
    let base = name.hasSuffix(damaged) ? name.dropLast(damaged.count) : name[...]
    return base.utf8.count == 32 && base.allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  private func read(_ name: String) throws(UserError) -> ReadingPlace? {
    let path = folder + "/" + name
    let content: [UInt8]?
    do throws(SystemCallError) {
      content = try PrivateFile.content(of: path, limit: Self.mostBytes)
    } catch { throw UserError(.damaged, "cannot read \(path): \(error)") }
    guard let content else { return nil }
    guard let place = try? JSONDecoder().decode(ReadingPlace.self, from: Data(content)),
      place.isValid
    else { throw UserError(.damaged, "\(path) is not a reading place") }
    return place
  }

  private func stored(_ name: String) throws(UserError) -> ReadingPlace? {
    do throws(UserError) { return try read(name) } catch {
      let path = folder + "/" + name
      guard rename(path, path + Self.damaged) == 0 else { throw error }
      throw UserError(
        .damaged, "the place in this text was damaged",
        hint: "it is now \(path + Self.damaged), which can be deleted")
    }
  }

  /// The names of the files of places, including damaged ones.
  private var names: [String] {
    var names: [String] = []
    try? FileSystem.forEachName(in: folder) { if Self.isName($0) { names.append($0) } }
    return names
  }

  /// The files of places, including damaged ones, with the times of their last change.
  private var files: [(name: String, time: Double)] {
    names.compactMap { name in
      var status = stat()
      guard lstat(folder + "/" + name, &status) == 0 else { return nil }
      return (name, Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
    }
  }

  private func deleteOldest() {
    guard names.count > Self.most else { return }
    for file in files.sorted(by: { $0.time > $1.time }).dropFirst(Self.most) {
      unlink(folder + "/" + file.name)
    }
  }
}
