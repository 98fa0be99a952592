import Console
import DaemonKit
import SystemSupport
import Workspace

/// The state of a library's daemon, with advice for the user.
struct DaemonHealth {
  /// The daemon's status; nil if no daemon is running or its version is incompatible.
  var status: DaemonStatus?
  /// The daemon's state in one word: the word of ``status``, `none` if no daemon is running, or
  /// `foreign` if its version is incompatible.
  var state: String
  /// Problems and possible improvements with their solutions, one line each.
  var advice: [Hint] = []

  /// Queries the daemon. If none is running, queries the user's systemd instead.
  init(_ location: LibraryLocation, environment: [String: String]) async {
    guard let daemon = DaemonClient(location) else {
      state = "none"
      if let unit = await InstalledUnit(location, environment: environment) {
        advice = ["\(unit.standing); \(unit.hint)"]
      }
      return
    }
    do {
      status = try daemon.ask(.status).status
      state = status?.state.rawValue ?? "foreign"
      advice = (status?.problems ?? []).map { Hint($0) }
    } catch {
      (state, advice) = (
        "foreign", [error.hint.map { "\(error.message); \($0)" } ?? Hint(error.message)]
      )
    }
  }
}

/// The systemd unit of a library's daemon that is installed but not running.
struct InstalledUnit {
  /// The reason why the daemon isn't running, such as `its unit is installed, but stopped`.
  let standing: String
  /// The solution.
  let hint: Hint

  /// Queries systemd. Returns nil if the unit isn't installed or the user has no systemd.
  init?(_ location: LibraryLocation, environment: [String: String]) async {
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
