import CSys
import FoundationEssentials
import Glibc
package import SystemSupport
package import Workspace

/// The systemd unit that starts daemons for a user. In the unit, `%f` is a library's folder.
package struct SystemdUnit {
  /// The path of the unit file.
  package let path: String
  /// The name of the unit's instance for the library.
  package let instance: String
  /// Diple's state folder of the user, or nil.
  private let state: String?

  /// Creates the unit for a library. Nothing is written yet.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the user has no home folder.
  package init(_ location: LibraryLocation, environment: [String: String]) throws(UserError) {
    guard let folder = StandardFolders(environment: environment).config else {
      throw UserError(.usage, "no place for the unit: HOME is not set")
    }
    path = folder + "/systemd/user/dipled@.service"
    state = location.state
    instance = "dipled@\(Self.escaped(location.folder)).service"
  }

  /// Whether the unit file exists.
  package var isInstalled: Bool { access(path, F_OK) == 0 }

  /// Whether the unit is started at login.
  package var isEnabled: Bool {
    var status = stat()
    return lstat("\(path.parentFolder)/default.target.wants/\(instance)", &status) == 0
  }

  /// Returns the unit that a process belongs to, or nil if systemd didn't start it.
  package static func running(_ process: Int32) -> String? {
    guard let groups = try? String(contentsOfFile: "/proc/\(process)/cgroup", encoding: .utf8)
    else { return nil }
    let names = groups.split(whereSeparator: { $0 == "/" || $0.isNewline })
    return names.first { $0.hasPrefix("dipled@") && $0.hasSuffix(".service") }.map(String.init)
  }

  /// Returns the content of the unit file, which runs `dipled` with the arguments in `words`.
  package func content(words: [String]) -> String {
    // After a path with `@`, systemd expects the program's name as `argv[0]`.
    let program =
      SiblingExecutable.path("dipled").map { [$0] }
      ?? SiblingExecutable.host(of: "dipled").map { ["@" + $0, "dipled"] } ?? ["/usr/bin/dipled"]
    let command = ((program + ["--library"]).map(Self.quoted) + ["%f"] + words.map(Self.quoted))
      .joined(separator: " ")
    return """
      [Unit]
      Description=Diple keeps highlights right while files change (%f)
      ConditionPathExists=%f/library.sqlite

      [Service]
      Type=notify
      NotifyAccess=main
      ExecStart=\(command)
      ExecReload=kill -HUP $MAINPID
      SyslogIdentifier=dipled
      Restart=on-failure
      RestartSec=5
      RestartPreventExitStatus=2 4 8 75
      WatchdogSec=60
      TimeoutStopSec=5
      UMask=0077
      Nice=5
      NoNewPrivileges=yes
      ProtectSystem=strict
      ReadWritePaths=%f\(state.map { " " + Self.quoted("-" + $0) } ?? "")
      RuntimeDirectory=diple
      RuntimeDirectoryMode=0700
      RuntimeDirectoryPreserve=yes
      ProtectKernelTunables=yes
      ProtectControlGroups=yes
      RestrictAddressFamilies=AF_UNIX
      RestrictNamespaces=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      SystemCallFilter=~@privileged
      SystemCallErrorNumber=EPERM
      KeyringMode=private
      \(Self.isolation)
      [Install]
      WantedBy=default.target

      """
  }

  /// The options that a user's systemd can only apply in a user namespace. Without `PrivateUsers`,
  /// systemd before version 254 creates no namespace and silently omits the file protections. With
  /// it, systemd doesn't start the unit if it can't create a namespace. The options are therefore
  /// used only where user namespaces work.
  private static var isolation: String {
    guard csys_can_isolate() == 1 else { return "" }
    return """
      PrivateUsers=yes
      PrivateDevices=yes
      ProtectClock=yes
      ProtectHostname=yes
      ProtectKernelLogs=yes
      ProtectKernelModules=yes
      ProtectProc=invisible
      CapabilityBoundingSet=

      """
  }

  /// Writes the unit file. Throws ``UserError`` if that fails.
  package func write(_ content: String) throws(UserError) {
    try FileSystem.makeFolder(path.parentFolder)
    // A folder that doesn't exist when the unit starts would stay read-only for it.
    if let state { try? PrivateFile.makeFolder(state) }
    do { try AtomicReplacement.write(content.utf8, to: path) } catch {
      throw UserError(
        .conflict, "cannot write \(path): \(error)",
        hint: "check the folder's permissions and free space")
    }
  }

  /// Escapes a path for the name of a unit, like systemd-escape(1) with `--path`.
  package static func escaped(_ path: String) -> String {
    let trimmed = path.split(separator: "/").joined(separator: "/")
    if trimmed.isEmpty { return "-" }
    var result = ""
    for (index, byte) in trimmed.utf8.enumerated() {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "_:.".unicodeScalars.contains(scalar) && !(index == 0 && scalar == ".")
      if scalar == "/" {
        result += "-"
      } else if isPlain {
        result.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16)
        result += "\\x" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }

  /// Quotes an argument for a command line in a unit (systemd.service(5)).
  private static func quoted(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%").replacing("$", with: "$$").replacing("\n", with: "\\n")
    return "\"\(escaped)\""
  }
}
