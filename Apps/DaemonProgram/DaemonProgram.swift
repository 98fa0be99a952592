import BuiltIn
import CMalloc
import CSys
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import SystemSupport

/// The daemon `dipled` of a library. It runs in the foreground. `diple daemon start` and systemd
/// run it in the background.
///
/// ```swift
/// @main
/// enum Main {
///   static func main() { DaemonProgram.main() }
/// }
/// ```
package enum DaemonProgram {
  /// Runs until the daemon ends.
  package static func main() -> Never {
    // Close inherited descriptors, because another process may be waiting for their end.
    if CommandLine.arguments.contains("--detach") { csys_close_from(3) }
    guard let signals = ControlSignals() else {
      DaemonOptions.end("the system has no descriptors left", code: 6)
    }
    mallopt(M_ARENA_MAX, 1)
    let options = DaemonOptions.parseOrExit()
    do throws(DaemonProcess.Failure) {
      exit(
        try DaemonProcess.run(
          options.request, plugins: .builtIn, signals: signals,
          environment: ProcessInfo.processInfo.environment, words: .shell))
    } catch { DaemonOptions.end(error.message, code: error.code) }
  }
}
