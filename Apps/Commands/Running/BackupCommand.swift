import Actions
import ArgumentParser
import Console
import DaemonKit
import FoundationEssentials
import Model
import Rendering
import Storage
import SystemSupport
import Workspace

/// The `backup` command, which writes a copy of the library to a file.
struct BackupCommand: ActionCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write a compressed copy of the library to a file.",
    discussion: """
      The library can be in use meanwhile. The copy is checked as by `doctor`, and read back \
      before it gets its name. It is an SQLite database compressed with zstd that only you can \
      read. It contains highlights, notes, history and the texts of documents, but not their \
      files.

      The daemon makes backups automatically, in backups/ of Diple's state folder: see \
      backup.enabled, backup.days and backup.weeks in `diple config`.

      Examples:
        diple backup library.zst
        diple backup --force /mnt/disk/library.zst
      """)

  @OptionGroup var options: GlobalOptions
  @Flag(help: "Replace the file if it exists.") var force = false
  @Argument(help: "File to write.", completion: .file()) var file: String

  func request(in context: CommandContext) -> BackUpLibrary {
    BackUpLibrary(file: file, replace: force)
  }

  func write(_ outcome: BackUpLibrary.Outcome, to context: CommandContext) {
    context.terminal.output.line("written to \(file.sanitizedForTerminal)")
  }
}

/// The `restore` command, which replaces the library with a backup.
struct RestoreCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Replace the library with a backup.",
    discussion: """
      The backup is checked as by `doctor` first. The current library is kept beside the restored \
      one, and its new name is printed. No other program may have the library open.

      Examples:
        diple restore library.zst
        diple restore --yes --to other/.diple library.zst
      """)

  @OptionGroup var options: GlobalOptions
  @Option(
    help: ArgumentHelp("Folder of the library to restore to.", valueName: "dir"),
    completion: .directory)
  var to: String?
  @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
  @Argument(help: "Backup file.", completion: .file()) var file: String

  private struct Record: Encodable {
    var folder: String
    @Nullable var kept: String?
  }

  func run(in context: CommandContext) async throws {
    guard try FileSystem.status(of: file) != nil else {
      throw UserError(
        .notFound, "no such file: \(file)",
        hint: context.highlightID([file]) == nil
          ? "\(command: "backup", "FILE") makes one"
          : "\(command: "highlight", "restore", .word(file)) restores a highlight")
    }
    // Before the user is asked. The backup is checked completely when it is restored.
    guard StoreBackup.mayBeBackup(file) else {
      throw UserError(
        .damaged, "\(file) is not a backup of a library",
        hint: "\(command: "import", .word(file)) imports highlights of another program")
    }
    var meant = options
    if let to { meant.library = to }
    let location = try context.libraries.location(meant)
    if location.exists {
      try context.terminal.confirm(
        "Replace the library at \(location.folder.sanitizedForTerminal)?", yes: yes)
    }
    try location.requireNoDaemon()
    context.libraries.close()
    let kept = try location.restore(file, at: .now)
    context.answer(
      options, "diple.restore/1", Record(folder: location.folder, kept: kept)
    ) {
      context.terminal.output.line("restored to \(location.folder.sanitizedForTerminal)")
      // A link in the path that the user named is followed, as by `cp`.
      if let real = FileSystem.resolved(location.folder), real != location.folder {
        context.terminal.output.line("its real path is \(real.sanitizedForTerminal)")
      }
      if let kept {
        context.terminal.output.line("the previous library is kept in \(kept.sanitizedForTerminal)")
      }
    }
  }
}

extension LibraryLocation {
  /// Checks that no daemon is running for the library.
  ///
  /// - Throws: ``UserError`` with the code `conflict` if one is running.
  func requireNoDaemon() throws(UserError) {
    guard DaemonClient(self) == nil else {
      throw UserError(
        .conflict, "the daemon of the library at \(folder) is running",
        hint: "stop it first: diple daemon stop")
    }
  }
}
