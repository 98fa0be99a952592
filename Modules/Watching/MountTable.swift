import Model
import SystemSupport

/// The mounted file systems (proc_pid_mountinfo(5)).
struct MountTable {
  private var types: [String: String] = [:]

  /// Reads the mount table of this process. It is empty if it can't be read.
  init() {
    let text = (try? String(contentsOfSmallFile: "/proc/self/mountinfo", limit: 1 << 20)) ?? ""
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count, fields.count > 4 else {
        continue
      }
      let place = String(fields[4]).replacing("\\040", with: " ")
      types[place] = String(fields[dash + 1])
    }
  }

  /// Returns the type of the file system that contains an absolute path, or nil if it is unknown.
  func type(of path: String) -> String? {
    var folder = path
    while true {
      if let type = types[folder] { return type }
      if folder == "/" { return nil }
      folder = folder.parentFolder
    }
  }

  /// Returns whether other machines or processes can change files on the file system without the
  /// kernel reporting it.
  static func isRemote(_ type: String) -> Bool {
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "virtiofs"].contains(type)
      || type.hasPrefix("fuse")
  }
}
