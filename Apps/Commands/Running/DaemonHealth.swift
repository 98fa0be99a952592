import Console
import DaemonKit
import SystemSupport
import Workspace

/// How the daemon of a library is, and what its person can do where something is missing.
struct DaemonHealth {
  /// Nil when none runs, or one that cannot be understood.
  var status: DaemonStatus?
  /// In a word: that of the status, `none`, or `foreign` for one of another version.
  var state: String
  /// What is wrong or could be better, and what to do about it; one line each.
  var advice: [Hint] = []

  /// Asks the daemon, and where none runs the person's systemd.
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

/// The unit of a library's daemon, where it was installed and no daemon runs.
struct InstalledUnit {
  /// Why nothing runs, such as `its unit is installed, but stopped`.
  let standing: String
  /// What to do about it.
  let hint: Hint

  /// Asks systemd; nil where the unit was not installed or no systemd runs for this person.
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
        "\(command: "daemon", "logs") says why, and \(command: "daemon", "start") tries again"
    } else {
      standing = "its unit is installed, but \(state == "inactive" ? "stopped" : state)"
      hint = "\(command: "daemon", "start") has systemd start it\(enabling)"
    }
  }
}
