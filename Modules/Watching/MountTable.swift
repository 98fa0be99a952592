import Model
import SystemSupport

/// Which file systems are mounted where (proc_pid_mountinfo(5)).
struct MountTable {
  private var types: [String: String] = [:]

  /// Reads the table of this process; it is empty where there is none.
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

  /// The type of the file system that holds an absolute path.
  func type(of path: String) -> String? {
    var folder = path
    while true {
      if let type = types[folder] { return type }
      if folder == "/" { return nil }
      folder = folder.parentFolder
    }
  }

  /// Whether others than this machine's kernel can change files on it.
  static func isRemote(_ type: String) -> Bool {
    ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "virtiofs"].contains(type)
      || type.hasPrefix("fuse")
  }
}
