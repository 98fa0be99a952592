import FoundationEssentials
import Glibc
import Workspace

/// The unit by which systemd starts daemons for a person; `%f` in it is a library's folder.
struct SystemdUnit {
  /// Where it is written.
  let path: String
  /// What is written.
  let content: String
  /// The name under which it is started for this library.
  let instance: String

  /// Makes the unit.
  ///
  /// - Throws: `usage` when there is no home folder to keep it in.
  init(_ location: LibraryLocation, words: [String], environment: [String: String])
    throws(LibraryError)
  {
    let config = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
    guard let folder = config ?? home else {
      throw LibraryError(.usage, "no place for the unit: HOME is not set")
    }
    path = folder + "/systemd/user/dipled@.service"
    instance = "dipled@\(Self.escaped(location.folder)).service"
    let program = OwnProgram.path("dipled") ?? "/usr/bin/dipled"
    let command = ([program, "--library"].map(Self.quoted) + ["%f"] + words.map(Self.quoted))
      .joined(separator: " ")
    content = """
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
      ReadWritePaths=%f
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

      [Install]
      WantedBy=default.target

      """
  }

  /// Writes the unit.
  func write() throws(LibraryError) {
    let folder = String(path[..<path.lastIndex(of: "/")!])
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(content.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw LibraryError(.conflict, "cannot write \(path)", hint: "check the folder and its space")
    }
  }

  /// A path as part of a unit's name (systemd-escape(1) with `--path`).
  static func escaped(_ path: String) -> String {
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

  /// A word of a command line in a unit (systemd.service(5)).
  private static func quoted(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%").replacing("$", with: "$$").replacing("\n", with: "\\n")
    return "\"\(escaped)\""
  }
}
