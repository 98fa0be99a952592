import Glibc
import Model
package import SystemSupport
import Workspace

/// The folder of a person's plugins: one folder in it for each, called by the plugin's id.
///
/// It is the person's and never a library's, because plugins are programs: who opens a folder of
/// another person's documents must not run another person's programs.
package struct PluginFolder: Hashable, Sendable {
  /// Its path.
  package let path: String

  /// A folder at a path.
  package init(path: String) { self.path = path }

  /// The folder that `DIPLE_PLUGINS` names, or `diple/plugins` in the person's data folder; nil when
  /// the person has none.
  package init?(environment: [String: String]) {
    if let folder = environment["DIPLE_PLUGINS"], !folder.isEmpty {
      path = folder
    } else if let data = StandardFolders(environment: environment).data {
      path = data + "/diple/plugins"
    } else {
      return nil
    }
  }

  /// A plugin, or why what lies there is none.
  package struct Entry: Sendable {
    /// The name of its folder.
    package var name: String
    /// The plugin.
    package var program: Result<PluginProgram, PluginProblem>

    init(name: String, program: Result<PluginProgram, PluginProblem>) {
      self.name = name
      self.program = program
    }

    /// A plugin that can be used.
    package init(_ program: PluginProgram) {
      self.init(name: program.manifest.id, program: .success(program))
    }
  }

  /// The plugins, by name.
  package var entries: [Entry] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      guard !name.hasPrefix("."), stat("\(path)/\(name)", &status) == 0,
        status.st_mode & S_IFMT == S_IFDIR
      else { continue }
      names.append(name)
    }
    return names.sorted().map { name in
      Entry(
        name: name,
        program: Result { () throws(PluginProblem) in
          let program = try Self.program(in: "\(path)/\(name)")
          guard program.manifest.id == name else {
            throw PluginProblem(
              "its folder is named '\(name)', but its id is '\(program.manifest.id)'")
          }
          return program
        })
    }
  }

  /// The largest manifest, in bytes.
  private static let manifestLimit = (1 << 16) - 1

  /// Refuses a folder with anything in it but regular files and folders: what a link leads to is not
  /// copied, and a FIFO keeps waiting whoever reads it.
  private static func requirePlainFiles(in folder: String) throws(UserError) {
    var pending = [folder]
    while let current = pending.popLast() {
      var odd: String?
      try FileSystem.forEachName(in: current) { name in
        let path = current.appending(name)
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: pending.append(path)
        case S_IFREG: break
        default: odd = odd ?? path
        }
      }
      if let odd {
        throw UserError(
          .usage, "\(odd) is neither a file nor a folder; no plugin was added",
          hint: "a plugin's folder holds no links, FIFOs or devices")
      }
    }
  }

  /// The plugin in a folder.
  ///
  /// - Throws: `PluginProblem` when it is none.
  package static func program(in folder: String) throws(PluginProblem) -> PluginProgram {
    let file = folder + "/" + PluginManifest.fileName
    let bytes: [UInt8]
    do { bytes = try Descriptor.contentOfRegularFile(file, limit: manifestLimit) } catch {
      switch error.number {
      case ENOENT, ENOTDIR: throw PluginProblem("it has no \(PluginManifest.fileName)")
      case EINVAL: throw PluginProblem("its \(PluginManifest.fileName) is not a regular file")
      case EFBIG: throw PluginProblem("its manifest is too large")
      default: throw PluginProblem("its \(PluginManifest.fileName) cannot be read: \(error)")
      }
    }
    let manifest = try PluginManifest(json: bytes)
    if manifest.run[0].contains("/") {
      let program =
        manifest.run[0].hasPrefix("/") ? manifest.run[0] : folder + "/" + manifest.run[0]
      guard access(program, X_OK) == 0 else {
        throw PluginProblem("its program \(manifest.run[0]) cannot be run")
      }
    }
    return PluginProgram(folder: folder, manifest)
  }

  /// The plugin in a folder that a person names.
  ///
  /// - Throws: `usage` when it is none.
  package static func candidate(in source: String) throws(UserError) -> PluginProgram {
    do { return try program(in: source) } catch {
      throw UserError(.usage, "\(source) is not a plugin: \(error)")
    }
  }

  /// Copies a plugin's folder in, under the plugin's id.
  ///
  /// - Throws: `UserError` when it is none, or one is there already.
  package func add(_ source: String) throws(UserError) -> PluginProgram {
    let program = try Self.candidate(in: source)
    let target = "\(path)/\(program.manifest.id)"
    guard access(target, F_OK) != 0 else {
      throw UserError(
        .conflict, "the plugin '\(program.manifest.id)' is already installed",
        hint: "remove it first: \(typed: "plugin", "remove", .word(program.manifest.id))")
    }
    try Self.requirePlainFiles(in: FileSystem.resolved(source) ?? source)
    // Beside its place first, so that a plugin is never there in part.
    let copy = "\(path)/.\(program.manifest.id).new"
    try Self.run(["mkdir", "-p", path], "make the folder \(path)")
    try Self.run(["rm", "-rf", "--", copy], "clear \(copy)")
    try Self.run(["cp", "-R", "--", source, copy], "copy \(source)")
    do { try Self.requirePlainFiles(in: copy) } catch {
      try Self.run(["rm", "-rf", "--", copy], "clear \(copy)")
      throw error
    }
    guard rename(copy, target) == 0 else {
      throw UserError(.conflict, "cannot make \(target): \(String(cString: strerror(errno)))")
    }
    return PluginProgram(folder: target, program.manifest)
  }

  /// Takes a plugin away.
  ///
  /// - Throws: `notFound` when there is none of that name.
  package func remove(_ name: String) throws(UserError) {
    guard entries.contains(where: { $0.name == name }) else { throw noPlugin(name) }
    try Self.run(["rm", "-rf", "--", "\(path)/\(name)"], "remove \(path)/\(name)")
  }

  /// Says that there is no plugin of a name.
  package func noPlugin(_ name: String) -> UserError {
    let near = nearestMatch(to: name, among: entries.map(\.name))
    return UserError(
      .notFound, "no plugin '\(name)'",
      hint: near.map { "did you mean '\($0)'?" }
        ?? "\(command: "plugin", "list") shows what there is")
  }

  private static func run(_ words: [String], _ action: String) throws(UserError) {
    guard (try? Program(words[0], Array(words.dropFirst())).run()) == 0 else {
      throw UserError(.conflict, "cannot \(action)")
    }
  }
}
