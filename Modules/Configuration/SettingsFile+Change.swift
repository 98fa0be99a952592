import Glibc
import SystemSupport

extension SettingsFile {
  /// Returns the file with a new value of a setting. Comments, order and all other values stay.
  ///
  /// - Throws: `SettingsError` if the file's form does not allow changing one value.
  package func setting(_ key: SettingKey, to value: SettingValue, _ owner: Owner)
    throws(SettingsError) -> SettingsFile
  {
    let names = key.rawValue.split(separator: ".").map(String.init)
    // Check that all other values in the result are unchanged, because TOML has many forms.
    var wanted = values.mapValues(\.value)
    wanted[key] = value
    guard let new = try? Self.text(text, names, value),
      let changed = try? SettingsFile(path, owner, text: new),
      changed.values.mapValues(\.value) == wanted
    else {
      throw SettingsError(
        path, line: values[key]?.line,
        "'\(key.rawValue)' is part of a value that Diple cannot change",
        hint: "\(tool: .editSettings) opens the file")
    }
    return changed
  }

  /// Returns the file without a setting, which then has its default. The lines of other settings
  /// and comments stay.
  ///
  /// - Throws: `SettingsError` if the setting is part of a value such as an inline table.
  package func removing(_ key: SettingKey, _ owner: Owner) throws(SettingsError) -> SettingsFile {
    let names = key.rawValue.split(separator: ".").map(String.init)
    var wanted = values.mapValues(\.value)
    wanted[key] = nil
    guard let toml = try? TOMLEntries(text),
      let entry = toml.entries.last(where: { $0.path == names }),
      let changed = try? SettingsFile(
        path, owner, text: Self.removing(linesOf: entry.value, in: text, toml)),
      changed.values.mapValues(\.value) == wanted
    else {
      throw SettingsError(
        path, line: values[key]?.line,
        "'\(key.rawValue)' is part of a value that Diple cannot change",
        hint: "\(tool: .editSettings) opens the file")
    }
    return changed
  }

  /// Returns a text without the lines that contain a value.
  private static func removing(
    linesOf value: Range<Int>, in text: String, _ toml: TOMLEntries
  ) -> String {
    let start = Array(text.utf8)[..<value.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return replacing(start..<toml.lineEnd(after: value.upperBound), in: text, with: "")
  }

  private static func text(_ text: String, _ names: [String], _ value: SettingValue)
    throws(TOMLError) -> String
  {
    let toml = try TOMLEntries(text)
    if let entry = toml.entries.last(where: { $0.path == names }) {
      return replacing(entry.value, in: text, with: value.toml)
    }
    let parents = Array(names.dropLast())
    // Insert the setting after another one of the same table, and write its key in the same form.
    if let neighbour = toml.entries.last(where: { $0.path.dropLast() == parents[...] }) {
      let name = names.dropFirst(neighbour.table.count).joined(separator: ".")
      return inserting(
        "\(name) = \(value.toml)\n", in: text, at: toml.lineEnd(after: neighbour.value.upperBound))
    }
    if let header = toml.headers.last(where: { $0.path == parents && !$0.isArray }) {
      let name = names[names.count - 1]
      return inserting("\(name) = \(value.toml)\n", in: text, at: header.bytes.upperBound)
    }
    if parents.isEmpty {
      // A key outside tables must be before the first table.
      let line = "\(names[0]) = \(value.toml)\n"
      guard let first = toml.headers.first else {
        return inserting(line, in: text, at: text.utf8.count)
      }
      return inserting(line + "\n", in: text, at: first.bytes.lowerBound)
    }
    let table = "[\(parents.joined(separator: "."))]\n\(names[names.count - 1]) = \(value.toml)\n"
    return inserting(text.isEmpty ? table : "\n" + table, in: text, at: text.utf8.count)
  }

  private static func replacing(_ bytes: Range<Int>, in text: String, with new: String) -> String {
    let units = Array(text.utf8)
    return String(
      decoding: units[..<bytes.lowerBound] + Array(new.utf8) + units[bytes.upperBound...],
      as: UTF8.self)
  }

  /// Inserts a line between two others. The line before may lack its line feed.
  private static func inserting(_ line: String, in text: String, at offset: Int) -> String {
    let before = Array(text.utf8)[..<offset]
    let isOpen = before.last.map { $0 != 0x0A } ?? false
    return replacing(offset..<offset, in: text, with: (isOpen ? "\n" : "") + line)
  }

  // MARK: - The file

  /// Changes a file atomically: readers see the old text or the new one, also after a crash.
  /// Concurrent changes wait for each other, so that none is lost.
  ///
  /// - Parameter change: returns the new file for the current one, which is empty if it is missing.
  /// - Returns: the new file.
  /// - Throws: `SettingsError` if the file is invalid or cannot be written, and the errors of
  ///   `change`.
  @discardableResult
  package static func change(
    _ path: String, _ owner: Owner,
    _ change: (SettingsFile) throws(SettingsError) -> SettingsFile
  ) throws(SettingsError) -> SettingsFile {
    try withLock(on: path, owner) { text throws(SettingsError) in
      try change(try SettingsFile(path, owner, text: text ?? ""))
    }
  }

  /// Replaces a file with an edited copy, unless another process changed it first.
  ///
  /// - Parameter before: the text that the copy was made from; nil if there was no file.
  /// - Throws: `SettingsError` if the file changed or cannot be written.
  package static func replace(
    _ path: String, _ owner: Owner, from before: String?, with new: SettingsFile
  ) throws(SettingsError) {
    _ = try withLock(on: path, owner) { text throws(SettingsError) in
      guard text == before else {
        var problem = SettingsError(path, "it was changed meanwhile")
        problem.isEnvironmental = true
        throw problem
      }
      return new
    }
  }

  /// Replaces a file under a lock. `change` gets its current text, or nil if there is none.
  private static func withLock(
    on path: String, _ owner: Owner, _ change: (String?) throws(SettingsError) -> SettingsFile
  ) throws(SettingsError) -> SettingsFile {
    // Follow a link to the user's own file, because users store such files elsewhere. In a library,
    // the link may be another user's, so it is not followed.
    let absolute = FileSystem.absolute(path)
    let target = owner == .user ? FileSystem.resolved(path) ?? absolute : absolute
    let folder = target.parentFolder
    do { try FileSystem.makeFolders(folder) } catch { throw failure(folder, error.number) }
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw failure(path) }
    defer { close(lock) }
    let before = try text(at: target, owner)
    let new = try change(before)
    if new.text != before {
      do { try AtomicReplacement.write(new.text.utf8, to: target) } catch {
        throw failure(target, error.number)
      }
    }
    return new
  }

  private static func failure(_ path: String, _ number: Int32 = errno) -> SettingsError {
    var problem = SettingsError(path, "cannot be written: \(SystemCallError(number))")
    problem.isEnvironmental = true
    return problem
  }
}
