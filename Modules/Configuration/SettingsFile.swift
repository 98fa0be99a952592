import Glibc
import Model
import SystemSupport

/// A TOML file with settings, in which every key is known and every value is allowed.
package struct SettingsFile: Sendable {
  /// The owner of a settings file, which determines the libraries that it applies to.
  package enum Owner: Hashable, Sendable {
    /// The user; the file applies to all libraries.
    case user
    /// The library; the file applies to everyone who uses the library.
    case library
  }

  /// A value and the line of its key.
  package struct Entry: Hashable, Sendable {
    package var value: SettingValue
    /// The line number, from 1.
    package var line: Int
  }

  /// The path of the file.
  package let path: String
  /// The whole text.
  package let text: String
  /// The values that the file sets.
  package let values: [SettingKey: Entry]

  /// Reads a file. A missing file sets nothing.
  ///
  /// - Throws: `SettingsError` if the file cannot be read or is invalid.
  package init(_ path: String, _ owner: Owner) throws(SettingsError) {
    try self.init(path, owner, text: Self.text(at: path, owner) ?? "")
  }

  /// Parses a text as the content of a file.
  ///
  /// - Throws: `SettingsError` for the first error.
  package init(_ path: String, _ owner: Owner, text: String) throws(SettingsError) {
    (self.path, self.text) = (path, text)
    values = text.isEmpty ? [:] : try Self.values(text, path, owner)
  }

  /// The path of the user's file: `diple/config.toml` in the XDG configuration folder. Nil if there
  /// is no home folder.
  package static func personal(environment: [String: String]) -> String? {
    StandardFolders(environment: environment).config.map { $0 + "/diple/config.toml" }
  }

  /// The path of the file of the library in a folder.
  package static func ofLibrary(in folder: String) -> String { folder + "/config.toml" }

  /// The maximum size in bytes; a larger file isn't a user's settings.
  private static let limit = 1 << 20

  /// Reads the text of a file without parsing it; nil if it is missing.
  ///
  /// - Parameter owner: a symbolic link is allowed for the user's file only.
  /// - Throws: `SettingsError` if it can't be read or isn't a regular file of UTF-8 with at most
  ///   1 MiB.
  package static func text(at path: String, _ owner: Owner) throws(SettingsError) -> String? {
    let bytes: [UInt8]
    do throws(SystemCallError) {
      // Without O_NONBLOCK, opening a FIFO would wait for a writer.
      let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (owner == .library ? O_NOFOLLOW : 0)
      let descriptor = open(path, flags)
      guard descriptor >= 0 else { throw SystemCallError() }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw SystemCallError(EINVAL)
      }
      bytes = try Descriptor.content(of: descriptor, limit: limit)
    } catch {
      switch error.number {
      case ENOENT, ENOTDIR: return nil
      case EINVAL: throw SettingsError(path, "it is not a regular file")
      case ELOOP where owner == .library: throw SettingsError(path, "it is a symbolic link")
      case EFBIG: throw SettingsError(path, "it is longer than 1 MiB")
      default: throw SettingsError(path, "\(error)")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SettingsError(path, "it is not UTF-8")
    }
    return text
  }

  // MARK: - Meaning

  private static func values(_ text: String, _ path: String, _ owner: Owner)
    throws(SettingsError) -> [SettingKey: Entry]
  {
    let leaves: [TOMLEntries.Leaf]
    do { leaves = try TOMLEntries(text).leaves } catch {
      throw SettingsError(path, line: error.line, "invalid TOML: \(error.message)")
    }
    var found: [SettingKey: Entry] = [:]
    for leaf in leaves {
      let (name, line) = (leaf.path.joined(separator: "."), leaf.line)
      guard let key = SettingKey(rawValue: name) else {
        throw SettingsError(
          path, line: line, "there is no setting '\(name)'", hint: Self.hint(for: name))
      }
      guard owner == .user || !key.rule.isPersonal else {
        throw SettingsError(
          path, line: line, "'\(name)' cannot be set for a library: it \(key.rule.reason)",
          hint: "set it in your own file")
      }
      guard let value = value(leaf.value), key.rule.allows(value) else {
        throw SettingsError(
          path, line: line,
          "\(name) takes \(key.rule.range), not \(value(leaf.value)?.toml ?? "this value")")
      }
      found[key] = Entry(value: value, line: line)
    }
    return found
  }

  /// The hint for an unknown name.
  static func hint(for name: String) -> Hint {
    nearest(to: name).map { Hint(Spelling.question($0)) }
      ?? "\(action: "library.settings") lists them"
  }

  /// Returns the setting that an unknown name probably refers to: a similar one, the setting with
  /// this name in another group, or the first setting of the group that `name` has after its dot.
  /// Returns nil if no setting fits.
  private static func nearest(to name: String) -> String? {
    let known = SettingKey.allCases.map(\.rawValue)
    let last = { (name: String) in String(name.split(separator: ".").last ?? "") }
    // A long group would make all of its settings similar, so the last parts are compared, too.
    let similar = known.filter {
      Spelling.difference(of: Array(last(name)), from: Array(last($0))) != nil
    }
    return Spelling.nearest(to: name, among: similar)
      ?? known.first { last($0) == last(name) }
      ?? known.first { name.contains(".") && $0.hasPrefix(last(name) + ".") }
  }

  private static func value(_ value: TOMLEntries.Value) -> SettingValue? {
    switch value {
    case .flag(let flag): .flag(flag)
    case .number(let number): .number(number)
    case .text(let text): .text(text)
    case .other: nil
    }
  }
}
