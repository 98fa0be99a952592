import Glibc
import Model
import SystemSupport
import TOMLKit

/// A file with settings: TOML, in which every key is known and every value allowed.
package struct SettingsFile: Sendable {
  /// Whose it is.
  package enum Owner: Hashable, Sendable {
    /// A person's, wherever they read.
    case person
    /// A library's, for whoever reads there.
    case library
  }

  /// A value with the line that sets it.
  package struct Found: Hashable, Sendable {
    /// The value.
    package var value: SettingValue
    /// From 1.
    package var line: Int
  }

  /// Where it lies.
  package let path: String
  /// What stands in it.
  package let text: String
  /// What it sets.
  package let values: [SettingKey: Found]

  /// Reads a file; one that is not there sets nothing.
  package init(_ path: String, _ owner: Owner) throws(SettingsProblem) {
    try self.init(path, owner, text: Self.text(at: path) ?? "")
  }

  /// Takes a text as if it stood in a file.
  ///
  /// - Throws: the first thing that is wrong with it.
  package init(_ path: String, _ owner: Owner, text: String) throws(SettingsProblem) {
    (self.path, self.text) = (path, text)
    values = text.isEmpty ? [:] : try Self.values(text, path, owner)
  }

  /// A person's file: `diple/config.toml` in the XDG configuration folder; nil without a home.
  package static func personal(environment: [String: String]) -> String? {
    StandardFolders(environment: environment).config.map { $0 + "/diple/config.toml" }
  }

  /// The file of the library in a folder.
  package static func ofLibrary(in folder: String) -> String { folder + "/config.toml" }

  /// The most bytes that are read: more is no file that a person wrote.
  private static let limit = 1 << 20

  /// The text of a file, right or wrong; nil when it is not there.
  package static func text(at path: String) throws(SettingsProblem) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw SettingsProblem(path, String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SettingsProblem(path, String(cString: strerror(errno))) }
      if count == 0 { break }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw SettingsProblem(path, "it is longer than 1 MiB") }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SettingsProblem(path, "it is not UTF-8")
    }
    return text
  }

  // MARK: - Meaning

  private static func values(_ text: String, _ path: String, _ owner: Owner)
    throws(SettingsProblem) -> [SettingKey: Found]
  {
    let tree: TOMLTable
    do { tree = try TOMLTable(string: text) } catch let error as TOMLParseError {
      throw SettingsProblem(path, line: error.source.begin.line, oneLine(error.description))
    } catch { throw SettingsProblem(path, "it is no TOML") }
    let entries = TOMLEntries(text)
    var found: [SettingKey: Found] = [:]
    for (names, node) in leaves(of: tree, below: []) {
      let name = names.joined(separator: ".")
      // The line of the key, or of the inline table or the array that it stands in.
      let line =
        entries.entries.last { names.starts(with: $0.path) }?.line
        ?? entries.headers.last { names.starts(with: $0.path) }?.line
      guard let key = SettingKey(rawValue: name) else {
        throw SettingsProblem(
          path, line: line, "there is no setting '\(name)'", hint: Self.hint(for: name))
      }
      guard owner == .person || !key.rule.isPersonal else {
        throw SettingsProblem(
          path, line: line, "'\(name)' names a program, and a library may not",
          hint: "your own file can set it")
      }
      guard let value = value(node), key.rule.allows(value) else {
        throw SettingsProblem(
          path, line: line,
          "\(name) takes \(key.rule.range), not \(shown(node))")
      }
      found[key] = Found(value: value, line: line ?? 1)
    }
    return found
  }

  /// What to do about a name that is not known.
  static func hint(for name: String) -> String {
    nearestMatch(to: name, among: SettingKey.allCases.map(\.rawValue))
      .map { "did you mean '\($0)'?" } ?? "`diple config show` lists them"
  }

  /// All that is no table, with its names from the outermost table on.
  private static func leaves(of table: TOMLTable, below names: [String])
    -> [([String], any TOMLValueConvertible)]
  {
    var found: [([String], any TOMLValueConvertible)] = []
    for name in table.keys {
      guard let node = table[name] else { continue }
      if let inner = node.table {
        found += leaves(of: inner, below: names + [name])
      } else {
        found.append((names + [name], node))
      }
    }
    return found
  }

  private static func value(_ node: any TOMLValueConvertible) -> SettingValue? {
    switch node.type {
    case .bool: node.bool.map(SettingValue.flag)
    case .int: node.int.map(SettingValue.number)
    case .string: node.string.map(SettingValue.text)
    default: nil
    }
  }

  /// A value as a message shows it.
  private static func shown(_ node: any TOMLValueConvertible) -> String {
    value(node)?.toml ?? "that"
  }

  /// The parser's message: it may quote what stands in the file.
  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
