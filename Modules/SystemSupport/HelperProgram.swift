import Glibc

/// A program that `diple` starts for one request. The request and the answer are files in a private
/// folder, whose path is the only argument.
///
/// ```swift
/// let program = HelperProgram("diple-card", for: "diple share")
/// let request = try program.content(of: "order.json", limit: 1 << 20)
/// ```
package struct HelperProgram: Sendable {
  /// The path of the folder.
  package let folder: String

  /// Takes the folder from the command line. Without exactly one argument, prints which command the
  /// program is for and ends the process with the exit code 2.
  package init(_ name: String, for command: String) {
    guard CommandLine.arguments.count == 2 else {
      _ = Descriptor.write(
        "\(name): this program is for `\(command)`; see `\(command) --help`\n".utf8, to: 2)
      exit(2)
    }
    folder = CommandLine.arguments[1]
  }

  /// Reads a file of the folder.
  ///
  /// - Throws: `ENOENT` if the file is missing, `EFBIG` if it is larger than `limit` bytes.
  package func content(of file: String, limit: Int) throws(SystemCallError) -> [UInt8] {
    guard let bytes = try PrivateFile.content(of: folder.appending(file), limit: limit) else {
      throw SystemCallError(ENOENT)
    }
    return bytes
  }

  /// Creates a file in the folder.
  ///
  /// - Throws: `EEXIST` if the file exists.
  package func write(_ bytes: some Collection<UInt8>, to file: String) throws(SystemCallError) {
    try PrivateFile.make(folder.appending(file), containing: bytes)
  }

  /// Limits the private memory of this process, in bytes. If an allocation fails, which aborts the
  /// process otherwise, writes an answer to a file of the folder and ends the process with the exit
  /// code 0. The file must not exist.
  package func limitMemory(to limit: Int, orAnswer answer: [UInt8], in file: String) {
    abortAnswer = answer.withUnsafeBytes { bytes in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      copy.copyMemory(from: bytes)
      return UnsafeRawBufferPointer(copy)
    }
    abortPath = strdup(folder.appending(file))
    // The handler only calls functions that are safe in a signal handler.
    signal(SIGABRT) { _ in
      let file = open(abortPath!, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      let count = Glibc.write(file, abortAnswer.baseAddress, abortAnswer.count)
      _exit(count == abortAnswer.count ? 0 : 6)
    }
    Self.lower(RLIMIT_DATA, to: limit)
  }

  private static func lower(_ resource: __rlimit_resource, to value: Int) {
    var limit = rlimit(rlim_cur: UInt(value), rlim_max: UInt(value))
    setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }

  /// Limits the resources of this process, and prevents core dumps.
  ///
  /// - Parameters:
  ///   - memory: the maximum address space in bytes.
  ///   - file: the maximum size of a written file in bytes.
  ///   - seconds: the maximum processor and real time.
  ///   - descriptors: the maximum number of open files; nil for no change.
  package static func limitResources(memory: Int, file: Int, seconds: Int, descriptors: Int? = nil)
  {
    lower(RLIMIT_AS, to: memory)
    lower(RLIMIT_CORE, to: 0)
    lower(RLIMIT_FSIZE, to: file)
    lower(RLIMIT_CPU, to: seconds)
    if let descriptors { lower(RLIMIT_NOFILE, to: descriptors) }
    alarm(UInt32(seconds))
  }
}

/// The answer and its path for `limitMemory`, set once before the handler is installed.
nonisolated(unsafe) private var abortAnswer = UnsafeRawBufferPointer(start: nil, count: 0)
nonisolated(unsafe) private var abortPath: UnsafeMutablePointer<CChar>?
