import Glibc
import SystemSupport
import Workspace

/// Reports the daemon's state to systemd (sd_notify(3)). Does nothing if systemd didn't start it.
struct ServiceManager {
  private let address: String?
  /// The time between two watchdog notifications in milliseconds, or nil if none are needed.
  let interval: Int?

  init(environment: [String: String]) {
    address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    let period = environment["WATCHDOG_USEC"].flatMap { Int($0) }
    interval = isMeant ? period.map { max(1, $0 / 2_000) } : nil
    // Prevent hook commands from sending notifications for this process.
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
  }

  /// Sends lines of the form `KEY=value`.
  func notify(_ lines: String...) {
    guard let address else { return }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    var name = Array(address.utf8)
    guard name.count < MemoryLayout.size(ofValue: target.sun_path) else { return }
    // An abstract address begins with a zero byte and isn't terminated.
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

  /// Reports that the configuration is read again, with the time that systemd requires.
  func notifyReloading() {
    notify("RELOADING=1", "MONOTONIC_USEC=\(Clock.microseconds)")
  }
}
