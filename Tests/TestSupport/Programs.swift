import Foundation

/// Returns the ids of the processes whose environment contains a variable, written as `NAME=value`.
public func processes(with variable: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
    guard Int(process) != nil,
      let variables = FileManager.default.contents(atPath: "/proc/\(process)/environ")
    else { return false }
    return String(decoding: variables, as: UTF8.self).contains(variable)
  }
}

/// Returns the names of all commands without subcommands, such as `doc list`.
///
/// - Parameter dump: The output of `--experimental-dump-help`.
/// - Throws: `DecodingError` if the dump is invalid.
public func commandNames(inDump dump: String) throws -> [String] {
  struct Help: Decodable { var command: Command }
  struct Command: Decodable {
    var commandName: String
    var subcommands: [Command]?
    func leaves(_ before: String) -> [String] {
      let path = before.isEmpty ? commandName : "\(before) \(commandName)"
      guard let subcommands, !subcommands.isEmpty else { return [path] }
      return subcommands.flatMap { $0.leaves(path) }
    }
  }
  let root = try JSONDecoder().decode(Help.self, from: Data(dump.utf8)).command
  return (root.subcommands ?? []).flatMap { $0.leaves("") }
}
