import Glibc
import SystemSupport
import Workspace

/// Tells systemd how the daemon is (sd_notify(3)); silent where nobody asked.
struct ServiceManager {
  private let address: String?
  /// How often a sign of life is due, in milliseconds; nil when none is.
  let interval: Int?

  init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    let period = environment["WATCHDOG_USEC"].flatMap { Int($0) }
    interval = isMeant ? period.map { max(1, $0 / 2_000) } : nil
    // Commands of hooks must not speak for us.
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
  }

  /// Sends lines of `KEY=value`.
  func notify(_ lines: String...) {
    guard let address else { return }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    var name = Array(address.utf8)
    guard name.count < MemoryLayout.size(ofValue: target.sun_path) else { return }
    // An abstract address begins with a zero byte and has no end.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let text = Array(lines.joined(separator: "\n").utf8)
    _ = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(size))
      }
    }
  }

  /// Says that the configuration is read again; the system wants to know when.
  func notifyReloading() {
    notify("RELOADING=1", "MONOTONIC_USEC=\(Clock.microseconds)")
  }
}
