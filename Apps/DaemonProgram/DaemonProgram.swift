import BuiltIn
import CMalloc
import CSys
import Console
import DaemonKit
import FoundationEssentials
import Glibc
import SystemSupport

/// The daemon of one library. It stays in the foreground; `diple daemon start` and systemd put it
/// in the background.
package enum DaemonProgram {
  /// Runs until the daemon has ended.
  package static func main() -> Never {
    // What a caller left open is none of ours: another process may be waiting for its end.
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
          environment: ProcessInfo.processInfo.environment))
    } catch { DaemonOptions.end(error.message, code: error.code) }
  }
}
