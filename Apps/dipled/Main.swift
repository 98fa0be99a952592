import ArgumentParser
import BuiltIn
import CMalloc
import CSys
import Configuration
import FoundationEssentials
import Glibc
import Logging
import Workspace

/// The daemon of one library. It stays in the foreground; `diple daemon start` and systemd put it
/// in the background.
@main
enum Main {
  static func main() {
    // What a caller left open is none of ours: somebody may be waiting for its end.
    if CommandLine.arguments.contains("--detach") { csys_close_from(3) }
    // First of all: a stop that comes early is a stop too.
    guard let signals = Signals() else { refuse("the system has no descriptors left", code: 6) }
    mallopt(M_ARENA_MAX, 1)
    let environment = ProcessInfo.processInfo.environment
    do {
      let options = try DaemonOptions.parse()
      exit(try run(options, signals, environment))
    } catch let error as LibraryError {
      refuse(error.description, code: error.code == .damaged ? 8 : error.code == .notFound ? 4 : 6)
    } catch let problem as SettingsProblem {
      refuse(problem.line, code: problem.isEnvironmental ? 6 : 2)
    } catch {
      let code = DaemonOptions.exitCode(for: error)
      if code == .success {
        print(DaemonOptions.fullMessage(for: error))
        exit(0)
      }
      refuse(DaemonOptions.message(for: error), code: 2)
    }
  }

  private static func run(
    _ options: DaemonOptions, _ signals: Signals, _ environment: [String: String]
  ) throws -> Int32 {
    let location = try LibraryLocation.find(named: options.library, environment: environment)
    let place = ControlSocket(of: location)
    guard access(location.database, F_OK) == 0 else {
      refuse("there is no library at \(location.folder); `diple add FILE` makes one", code: 4)
    }
    do { _ = try InstanceLock(place.lockFile) } catch {
      switch error {
      case .taken(let process):
        refuse("a daemon (process \(process)) runs for \(location.folder) already", code: 75)
      case .system(let number):
        refuse("cannot write \(place.lockFile): \(String(cString: strerror(number)))", code: 6)
      }
    }
    let settings = try DaemonSettings(
      options, environment: environment, library: location.folder)
    if options.detach { setsid() }
    if let file = options.logFile, !LogFile.open(file) {
      refuse("cannot write \(file): \(String(cString: strerror(errno)))", code: 6)
    }
    let threshold = LogThreshold(settings.level)
    let log = Logger(label: "dipled") { _ in
      LineLog(environment: environment, threshold: threshold)
    }
    let service = ServiceManager(environment: environment)
    let library = try Library(at: location, plugins: .builtIn, opening: .existing, logger: log)
    let daemon = try Daemon(
      library, signals: signals, service: service,
      logFile: options.logFile, settings: settings, threshold: threshold, log: log
    ) { () throws(SettingsProblem) in
      try DaemonSettings(options, environment: environment, library: location.folder)
    }
    return daemon.run()
  }

  private static func refuse(_ reason: String, code: Int32) -> Never {
    let line = Array("dipled: \(reason)\n".utf8)
    _ = write(2, line, line.count)
    exit(code)
  }
}
