import Glibc
import Model
package import SystemSupport
import Workspace

/// The folder of a user's plugins. It contains a folder for each plugin, named by the plugin's id.
///
/// Plugins are programs, so the folder belongs to the user and never to a library. Otherwise
/// opening another user's library could run that user's programs.
///
/// ```swift
/// if let folder = PluginFolder(environment: environment) {
///   for entry in folder.entries { print(entry.name) }
/// }
/// ```
package struct PluginFolder: Hashable, Sendable {
  /// The path of the folder. It need not exist.
  package let path: String

  package init(path: String) { self.path = path }

  /// Creates the value for the folder in `DIPLE_PLUGINS`, or for `diple/plugins` in the user's data
  /// folder. Returns nil if the user has no data folder.
  package init?(environment: [String: String]) {
    if let folder = environment["DIPLE_PLUGINS"], !folder.isEmpty {
      path = folder
    } else if let data = StandardFolders(environment: environment).data {
      path = data + "/diple/plugins"
    } else {
      return nil
    }
  }

  /// A folder in the plugin folder, with its plugin or the reason why it contains no valid plugin.
  package struct Entry: Sendable {
    /// The name of the folder, without its path.
    package var name: String
    /// The plugin, or the error that prevents its use.
    package var program: Result<PluginProgram, PluginError>

    init(name: String, program: Result<PluginProgram, PluginError>) {
      self.name = name
      self.program = program
    }

    /// Creates the entry of a valid plugin.
    package init(_ program: PluginProgram) {
      self.init(name: program.manifest.id, program: .success(program))
    }
  }

  /// The plugins, sorted by name. Empty if the folder doesn't exist. Reads all manifests.
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
        program: Result { () throws(PluginError) in
          let program = try Self.program(in: "\(path)/\(name)")
          guard program.manifest.id == name else {
            throw PluginError(
              "its folder is named '\(name)', but its id is '\(program.manifest.id)'")
          }
          return program
        })
    }
  }

  /// The maximum size of a manifest in bytes.
  private static let manifestLimit = (1 << 16) - 1

  /// Throws ``UserError`` with the code `usage` if a folder contains anything except regular files
  /// and folders. The target of a link wouldn't be copied, and reading a FIFO would block.
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
          hint: "a plugin's folder must not contain links, FIFOs or devices")
      }
    }
  }

  /// Reads the plugin in a folder.
  ///
  /// - Throws: ``PluginError`` if the folder isn't a valid plugin.
  package static func program(in folder: String) throws(PluginError) -> PluginProgram {
    let file = folder + "/" + PluginManifest.fileName
    let bytes: [UInt8]
    do { bytes = try Descriptor.contentOfRegularFile(file, limit: manifestLimit) } catch {
      switch error.number {
      case ENOENT, ENOTDIR: throw PluginError("it has no \(PluginManifest.fileName)")
      case EINVAL: throw PluginError("its \(PluginManifest.fileName) is not a regular file")
      case EFBIG: throw PluginError("its manifest is too large")
      default: throw PluginError("its \(PluginManifest.fileName) cannot be read: \(error)")
      }
    }
    let manifest = try PluginManifest(json: bytes)
    if manifest.run[0].contains("/") {
      let program =
        manifest.run[0].hasPrefix("/") ? manifest.run[0] : folder + "/" + manifest.run[0]
      guard access(program, X_OK) == 0 else {
        throw PluginError("its program \(manifest.run[0]) cannot be run")
      }
    }
    return PluginProgram(folder: folder, manifest)
  }

  /// Reads the plugin in a folder named by the user.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the folder isn't a valid plugin.
  package static func candidate(in source: String) throws(UserError) -> PluginProgram {
    do { return try program(in: source) } catch {
      throw UserError(.usage, "\(source) is not a plugin: \(error)")
    }
  }

  /// Installs a plugin: copies its folder to a folder that is named by the plugin's id.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the folder isn't a valid plugin, `conflict`
  ///   if a plugin with this id is installed or copying fails.
  package func add(_ source: String) throws(UserError) -> PluginProgram {
    let program = try Self.candidate(in: source)
    let target = "\(path)/\(program.manifest.id)"
    guard access(target, F_OK) != 0 else {
      throw UserError(
        .conflict, "the plugin '\(program.manifest.id)' is already installed",
        hint: "remove it first: \(tool: .removePlugin(program.manifest.id), isQuoted: false)")
    }
    try Self.requirePlainFiles(in: FileSystem.resolved(source) ?? source)
    // Copy to a temporary name first, so that an incomplete plugin is never visible.
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

  /// Deletes a plugin.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if there is no plugin with this name,
  ///   `conflict` if it can't be deleted.
  package func remove(_ name: String) throws(UserError) {
    guard entries.contains(where: { $0.name == name }) else { throw noPlugin(name) }
    try Self.run(["rm", "-rf", "--", "\(path)/\(name)"], "remove \(path)/\(name)")
  }

  /// Returns the error for an unknown plugin, with a similar name as a hint.
  package func noPlugin(_ name: String) -> UserError {
    let near = Spelling.nearest(to: name, among: entries.map(\.name))
    return UserError(
      .notFound, "no plugin '\(name)'",
      hint: near.map { "did you mean '\($0)'?" }
        ?? "\(tool: .listPlugins) shows what there is")
  }

  private static func run(_ words: [String], _ action: String) throws(UserError) {
    guard (try? Program(words[0], Array(words.dropFirst())).run()) == 0 else {
      throw UserError(.conflict, "cannot \(action)")
    }
  }
}
