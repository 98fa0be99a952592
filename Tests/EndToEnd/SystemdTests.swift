import Foundation
import Testing

/// Tests the unit with a real systemd. The user's service manager runs in separate namespaces and
/// control groups, so that it can't affect this machine.
@Suite struct SystemdTests {
  /// The id of a user that doesn't exist and has no files except those of the test.
  private static let user = 23_456

  /// `sh container outside SCRIPT` runs a script as this user, with a separate service manager and
  /// journal. The exit code is 77 if they can't be started.
  private static let container = """
    set -e
    export user=\(user)
    case $1 in
    outside)
      export groups=
      for root in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
        test ! -w $root/cgroup.procs || groups="$groups $root/diple-$$"
      done
      test -n "$groups" && mkdir $groups || exit 77
      trap 'for g in $groups; do find $g -depth -type d -exec rmdir {} +; done' EXIT
      unshare --mount --pid --fork --kill-child --mount-proc sh "$0" inside "$2" ;;
    inside)
      mount -t tmpfs none /run; mount -t tmpfs none /var/log
      mkdir -p /run/systemd/system /run/systemd/unit-root /run/systemd/journal \\
        /run/systemd/journald.conf.d /run/user/$user /var/log/journal
      touch /run/systemd/journal/flushed; chown $user /run/user/$user
      printf '[Journal]\\nAudit=\\nReadKMsg=no\\n' > /run/systemd/journald.conf.d/test.conf
      for g in $groups; do echo $$ > $g/cgroup.procs; done
      /lib/systemd/systemd-journald 2>/dev/null &
      sh "$0" login "$2"; exit $? ;;
    login)
      # Where a login puts a manager: the journal knows a person's units by that.
      for g in $groups; do
        place=$g/user.slice/user-$user.slice/user@$user.service
        mkdir -p $place; chown -R $user $place; echo $$ > $place/cgroup.procs
      done
      exec setpriv --reuid=$user --regid=$user --clear-groups \\
        env XDG_RUNTIME_DIR=/run/user/$user sh "$0" manager "$2" ;;
    manager)
      SYSTEMD_LOG_TARGET=null /lib/systemd/systemd --user 2>/dev/null &
      n=0
      until systemctl --user is-system-running >/dev/null 2>&1; do
        n=$((n + 1)); test $n -lt 100 || exit 77; sleep 0.1
      done
      . "$2" ;;
    esac
    """

  /// Runs a script as this user in the folder of a workbench.
  private static func run(_ script: String, in bench: Workbench) throws -> Workbench.Result {
    try bench.write("container", container)
    try bench.write("script", script)
    try bench.shell("chmod 755 . && chown -R \(user) .")
    return try bench.run("sh", ["container", "outside", "./script"])
  }

  /// The reason why the tests can't run on this machine. Nil if they can.
  static let obstacle: String? = {
    guard getuid() == 0 else { return "only the superuser can give it control groups" }
    do {
      let result = try run("exit 0\n", in: Workbench())
      return result.code == 0 ? nil : "no systemd can be started: \(result)"
    } catch { return "\(error)" }
  }()

  @Test(.enabled(if: obstacle == nil, "\(obstacle ?? "")"))
  func `the unit starts, serves the watchdog, reloads and stops`() throws {
    let watched = try WatchedBench(files: ["a.md"])
    let bench = watched.bench
    let programs = Workbench.programs.path
    // The hook tries a forbidden operation. A short watchdog interval shows that the watchdog is
    // served.
    let script = """
      PATH=\(programs):$PATH
      say() { echo "$*"; }
      show() { systemctl --user show "$unit" --value -p "$1"; }
      wait_for() {
        n=0; until eval "$1"; do n=$((n + 1)); test $n -lt 200 || { say no "$1"; exit 9; }; sleep 0.05; done
      }
      diple daemon install --run 'echo "$DIPLE_EVENT" >> "$DIPLE_LIBRARY/events"; touch outside \
        2> "$DIPLE_LIBRARY/refused"' > installed
      unit=$(sed -n "s/.*--now '\\(.*\\)'/\\1/p" installed)
      mkdir -p .config/systemd/user/dipled@.service.d
      printf '[Service]\\nWatchdogSec=4\\nRestartSec=100ms\\n' \
        > .config/systemd/user/dipled@.service.d/quick.conf
      say verify $(systemd-analyze --user verify "$unit" 2>&1)
      say exposure $(systemd-analyze --user security --no-pager "$unit" | sed -n 's/.*level for .*: //p')
      diple daemon start | sed 's/process [0-9]*/process N/;s/in [0-9]* folders/in N/'
      diple daemon status | sed -n 's/^started by systemd: //p' | grep -cxF "$unit"
      say $(show Type) $(show ActiveState) $(show StatusText | sed 's/[0-9]* folders*/N/')
      first=$(show WatchdogTimestampMonotonic)
      wait_for 'test $(show WatchdogTimestampMonotonic) != $first'
      sed -i '1i New.\\n' notes/a.md; wait_for 'grep -qx changed library/events 2>/dev/null'
      wait_for 'test -s library/refused'
      say hook $(cut -d: -f3- library/refused)
      systemctl --user reload "$unit"; say reloaded $(show ActiveState)
      wait_for 'diple daemon logs | grep -q "configuration read again"'
      kill -STOP $(show MainPID); wait_for 'test $(show NRestarts) = 1'
      wait_for 'test $(show ActiveState) = active'; say restarted $(show NRestarts)
      begin=$(date +%s%N); systemctl --user stop "$unit"; end=$(date +%s%N)
      say stopped $(show ActiveState) $(show Result) $(show ExecMainStatus)
      say $(((end - begin) / 1000000)) > took
      diple daemon status 2>&1 | sed "s/'dipled@.*'/UNIT/;s/for [^ ]*:/for FOLDER:/"
      systemctl --user enable "$unit" 2>/dev/null; diple doctor | sed -n 's/^advice  *//p'
      diple daemon start > /dev/null; diple daemon stop; wait_for 'test $(show ActiveState) = inactive'
      say $(show NRestarts) $(show Result)
      """
    let result = try Self.run(script, in: bench)
    #expect(
      result.lines.filter { !$0.hasPrefix("exposure") } == [
        "verify", "daemon started: 1 document in N (process N)", "1", "notify active watching N",
        "hook Read-only file system", "reloaded active", "restarted 1",
        "stopped inactive success 0",
        "diple: no daemon runs for FOLDER: its unit is installed, but stopped; `diple daemon start` "
          + "has systemd start it, and `systemctl --user enable UNIT` at each login",
        "its unit is installed, but stopped; `diple daemon start` has systemd start it",
        "stopped", "0 success",
      ], "\(result)")
    // systemd's exposure level from 0 to 10. AF_UNIX, the folders and the home folder contribute to
    // it.
    let exposure = result.lines.first { $0.hasPrefix("exposure") }?.split(separator: " ") ?? []
    #expect(exposure.dropFirst().first.flatMap { Double($0) }.map { $0 < 2 } == true, "\(exposure)")
    let took = Int(try bench.read("took").filter(\.isNumber)) ?? .max
    #expect(took < 2_000, "the goal is 500 ms on an idle machine")
    print("systemd: stopped in \(took) ms; \(exposure.joined(separator: " "))")
  }
}
