import CSys
import FoundationEssentials
import Glibc
import Model
import SystemSupport

/// A run of a plugin's program: writes a request to its standard input and reads lines from its
/// standard output, within limits of time, memory and output. The program and all processes that it
/// started end with the run.
struct PluginRun {
  /// The working directory of the program.
  var folder: String
  /// The manifest with the limits.
  var manifest: PluginManifest
  /// Whether the program answers several requests. Then only the time of each is limited, and not
  /// the processor time of all.
  var isPersistent = false

  /// The maximum number of bytes to keep from standard error.
  static let errorLimit = 4096

  /// Runs the program.
  ///
  /// - Returns: Its standard output.
  /// - Throws: ``PluginError`` if it can't be started, fails or exceeds a limit.
  func output(for request: [UInt8]) throws(PluginError) -> [UInt8] {
    let deadline = ContinuousClock.now + .seconds(manifest.seconds)
    // Use a file for the input. A pipe would have to be written while the output is read.
    guard let file = tmpfile() else { throw Self.failure("cannot write its request") }
    defer { fclose(file) }
    let input = fileno(file)
    guard Descriptor.write(request, to: input), lseek(input, 0, SEEK_SET) == 0 else {
      throw Self.failure("cannot write its request")
    }
    var pipes: [[Int32]] = [[-1, -1], [-1, -1]]
    defer { for end in pipes.joined() where end >= 0 { close(end) } }
    for index in pipes.indices {
      guard csys_open_pipe(&pipes[index]) == 0 else { throw Self.failure("no pipe could be made") }
    }
    let process = try start(input, pipes[0][1], pipes[1][1])
    for index in pipes.indices {
      close(pipes[index][1])
      pipes[index][1] = -1
    }
    var isOver = false
    defer {
      if !isOver { Self.end(process) }
    }
    let (written, errors) = try read(pipes[0][0], pipes[1][0], until: deadline)
    let status = try wait(for: process, until: deadline)
    isOver = true
    guard status == 0 else { throw problem(status: status, errors) }
    return written
  }

  /// Starts the program through a shell that sets the limits. It inherits none of this process's
  /// other descriptors.
  ///
  /// - Returns: the process that supervises the program and its descendants.
  func start(_ input: Int32, _ output: Int32, _ errors: Int32) throws(PluginError)
    -> pid_t
  {
    let limits =
      "ulimit -c 0; "
      + (isPersistent ? "" : "ulimit -t \(Int(manifest.seconds.rounded(.up)) + 1); ")
      + "ulimit -v \(manifest.megabytes * 1024) || exit 126; cd \"$0\" || exit 126; exec \"$@\""
    let words = ["/bin/sh", "-c", limits, folder] + manifest.run
    let arguments = words.map { strdup($0) } + [nil]
    defer { for word in arguments { free(word) } }
    let process = csys_start_contained("/bin/sh", arguments, environ, input, output, errors)
    guard process > 0 else {
      throw PluginError("it cannot be started: \(String(cString: strerror(errno)))")
    }
    return process
  }

  /// Terminates a running program and all processes that it started.
  static func end(_ process: pid_t) {
    kill(process, SIGTERM)
    // The program may have stopped its supervisor.
    kill(process, SIGCONT)
    for _ in 0..<2_000 {
      if waitpid(process, nil, WNOHANG) != 0 { return }
      usleep(1_000)
    }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Reads both streams to the end.
  private func read(_ output: Int32, _ errors: Int32, until deadline: ContinuousClock.Instant)
    throws(PluginError) -> (output: [UInt8], errors: [UInt8])
  {
    var streams = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var result: [[UInt8]] = [[], []]
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while streams.contains(where: { $0.fd >= 0 }) {
      let rest = (deadline - ContinuousClock.now).milliseconds
      guard rest > 0 else { throw tooSlow }
      guard poll(&streams, 2, Int32(min(rest, 1000))) >= 0 || errno == EINTR else {
        throw Self.failure("its answer cannot be read")
      }
      for index in streams.indices where streams[index].fd >= 0 && streams[index].revents != 0 {
        let count = Glibc.read(streams[index].fd, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 {
          streams[index].fd = -1
          continue
        }
        if index == 0 {
          result[0] += buffer[..<count]
          guard result[0].count <= manifest.output << 20 else {
            throw tooMuch
          }
        } else if result[1].count < Self.errorLimit {
          result[1] += buffer[..<count]
        }
      }
    }
    return (result[0], result[1])
  }

  func wait(for process: pid_t, until deadline: ContinuousClock.Instant)
    throws(PluginError) -> Int32
  {
    var status: Int32 = 0
    var pause: UInt32 = 200
    while true {
      let found = waitpid(process, &status, WNOHANG)
      if found == process { return status }
      guard found == 0 || errno == EINTR else { throw Self.failure("its process disappeared") }
      guard ContinuousClock.now < deadline else { throw tooSlow }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  /// The error of an answer that is too long.
  var tooMuch: PluginError { PluginError("it wrote more than \(manifest.output) MiB") }

  /// The error of a request that takes too long.
  var tooSlow: PluginError {
    let seconds = manifest.seconds
    let text = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    return PluginError("timed out after \(text) s")
  }

  func problem(status: Int32, _ errors: [UInt8]) -> PluginError {
    let signal = status & 0x7F
    let what =
      signal != 0
      ? "it was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
      : "it ended with code \(status >> 8 & 0xFF)"
    // In most languages, the last line of a crash report is the message.
    let line = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline).last
    return PluginError(line.map { "\(what): \($0.prefix(200))" } ?? what)
  }

  static func failure(_ text: String) -> PluginError {
    PluginError("\(text): \(String(cString: strerror(errno)))")
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up.
  var milliseconds: Int64 {
    components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999)
      / 1_000_000_000_000_000
  }
}
