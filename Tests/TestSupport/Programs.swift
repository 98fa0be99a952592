import Foundation

/// The processes that were started with a variable of the environment, written `NAME=value`.
public func processes(with variable: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
    guard Int(process) != nil,
      let variables = FileManager.default.contents(atPath: "/proc/\(process)/environ")
    else { return false }
    return String(decoding: variables, as: UTF8.self).contains(variable)
  }
}

/// The names of all commands that do something, such as `doc list`, of the dump that
/// `--experimental-dump-help` prints.
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
