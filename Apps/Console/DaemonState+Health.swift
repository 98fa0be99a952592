package import Actions
import DaemonKit
package import SystemSupport
package import Workspace

extension DaemonState {
  /// Queries the daemon of a library. If none is running, queries the user's systemd instead.
  package init(of location: LibraryLocation, environment: [String: String]) async {
    guard let daemon = DaemonClient(location) else {
      let unit = await InstalledUnit(location, environment: environment)
      self.init(state: "none", advice: unit.map { ["\($0.standing); \($0.hint)"] } ?? [])
      return
    }
    do {
      let status = try daemon.ask(.status).status
      self.init(
        state: status?.state.rawValue ?? "foreign",
        advice: (status?.problems ?? []).map { Hint($0) }
      )
    } catch {
      self.init(
        state: "foreign",
        advice: [
          error.hint.map { "\(error.message); \($0.worded(in: .shell))" } ?? Hint(error.message)
        ])
    }
  }
}

/// The systemd unit of a library's daemon that is installed but not running.
package struct InstalledUnit {
  /// The reason why the daemon isn't running, such as `its unit is installed, but stopped`.
  package let standing: String
  /// The solution.
  package let hint: Hint

  /// Queries systemd. Returns nil if the unit isn't installed or the user has no systemd.
  package init?(_ location: LibraryLocation, environment: [String: String]) async {
    guard let unit = try? SystemdUnit(location, environment: environment), unit.isInstalled,
      let services = UserServices(environment: environment),
      let state = try? await services.state(of: unit.instance)
    else { return nil }
    let enabling =
      unit.isEnabled ? "" : ", and `systemctl --user enable '\(unit.instance)'` at each login"
    if state == "failed" {
      standing = "its unit has failed"
      hint =
        "\(command: "daemon", "logs") shows why, and \(command: "daemon", "start") tries again"
    } else {
      standing = "its unit is installed, but \(state == "inactive" ? "stopped" : state)"
      hint = "\(command: "daemon", "start") has systemd start it\(enabling)"
    }
  }
}
