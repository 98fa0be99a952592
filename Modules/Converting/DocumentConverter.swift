import Glibc
package import SystemSupport

/// A file format that converters read or write.
package enum OfficeFormat: String, Sendable, CaseIterable {
  case rtf, docx, odt, pdf, epub, markdown

  /// Returns whether bytes can be in this format. It is checked because converters would otherwise
  /// choose another format by the content.
  package func recognizes(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .rtf: bytes.starts(with: Array("{\\rtf".utf8))
    case .docx, .odt, .epub: bytes.starts(with: [0x50, 0x4B, 0x03, 0x04])
    case .pdf: bytes.starts(with: Array("%PDF-".utf8))
    case .markdown: true
    }
  }
}

/// A program that converts files between formats.
package protocol DocumentConverter: Sendable {
  /// The supported conversions.
  var conversions: [(from: OfficeFormat, to: OfficeFormat)] { get }

  /// Returns the program's name and version, in one line.
  ///
  /// - Throws: `UserError` of the kind `notFound` if the program isn't installed, `plugin` if it is
  ///   too old or another program.
  func version() async throws(UserError) -> String

  /// Converts a file. The program runs without a shell in a temporary folder, with a copy of the
  /// file under a fixed name, and is subject to `ConversionLimits`. The folder is deleted
  /// afterwards.
  ///
  /// - Parameter title: the title of the result, for formats that have one.
  /// - Throws: `UserError` of the kind `notFound` if the program isn't installed, `usage` if the
  ///   file or the conversion isn't supported, `plugin` if the conversion failed.
  func convert(
    _ bytes: [UInt8], from: OfficeFormat, to: OfficeFormat, title: String
  ) async throws(UserError) -> [UInt8]
}

/// Limits for programs that convert files.
package struct ConversionLimits: Sendable {
  /// The time after which the program and all processes that it started are killed.
  package var time = Duration.seconds(60)
  /// The maximum private memory of each process of the converter, in bytes.
  package var memory = 1 << 30
  /// The maximum size of the input file in bytes.
  package var input = 256 << 20
  /// The maximum size of the output file in bytes.
  package var output = 512 << 20
  /// Creates the default limits: 60 s, 1 GiB of memory, 256 MiB of input and 512 MiB of output.
  package init() {}
}

/// Runs a program on a file.
struct Conversion {
  /// The program's name for messages.
  let name: String
  /// The name of the executable.
  let program: String
  /// The Debian package that contains the program, for hints.
  let package: String
  let limits: ConversionLimits
  /// The folders in which programs are searched for, as in `PATH`; nil for the `PATH` of this
  /// process.
  let searchPath: String?

  /// The variables that the program gets in addition to those of this process. They prevent it from
  /// loading parts of a document over the network, and from changing the user's settings.
  private func environment(_ home: String) -> [String: String] {
    var variables = [
      "HOME": home, "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
      "no_proxy": "",
    ]
    variables["PATH"] = searchPath
    return variables
  }

  /// Returns the first line of the program's output for `--version`.
  ///
  /// - Throws: `UserError` of the kind `plugin` if there is no such line or the program can't be
  ///   run.
  func version() async throws(UserError) -> String {
    do {
      let text = try await CapturedProgram.output(
        of: program, ["--version"], environment: environment("/nonexistent"), limit: 1 << 16,
        time: .seconds(60))
      let line = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).first
      guard let line, line.utf8.count <= 200 else {
        throw UserError(.plugin, "\(program) --version did not print the version of \(name)")
      }
      return String(line)
    } catch let error as UserError {
      throw error
    } catch let failure as CapturedProgram.Failure {
      throw self.failure(failure)
    } catch { throw UserError(.plugin, "\(name): \(error)") }
  }

  /// Returns the error for a failed run.
  func failure(_ failure: CapturedProgram.Failure) -> UserError {
    if failure.wasStarted {
      return UserError(.plugin, "\(name) could not convert the file: \(failure.description)")
    }
    return UserError(.plugin, "\(name) could not be run: \(failure.description)")
  }

  /// The error if the program isn't installed.
  var missing: UserError {
    UserError(.plugin, "\(name) is not installed", hint: "sudo apt-get install \(package)")
  }

  /// Throws `UserError` of the kind `usage` if the file is too large or isn't in the format.
  func check(_ bytes: [UInt8], _ format: OfficeFormat) throws(UserError) {
    if bytes.count > limits.input {
      throw UserError(
        .usage, "too large to convert: \(bytes.count >> 20) MiB, at most \(limits.input >> 20)")
    }
    if !format.recognizes(bytes) {
      throw UserError(.usage, "the file is not \(format.rawValue.uppercased())")
    }
  }

  /// Runs the program in a temporary folder and returns a file that it wrote.
  ///
  /// - Parameters:
  ///   - arguments: returns the program's arguments for the folder's path.
  ///   - input: the name of the input file in the folder.
  ///   - output: the name of the output file in the folder.
  ///   - files: additional files by their names.
  ///   - format: the expected format of the output; nil to skip this check.
  /// - Throws: `UserError` of the kind `plugin` if the program can't be run or fails, or if its
  ///   output is missing, too large or in another format.
  func run(
    _ bytes: [UInt8], _ arguments: (_ folder: String) -> [String], input: String, output: String,
    files: [String: String] = [:], as format: OfficeFormat?
  ) async throws(UserError) -> [UInt8] {
    do {
      let folder = try ConversionFolder()
      try folder.write(bytes, to: input)
      for (name, text) in files { try folder.write(Array(text.utf8), to: name) }
      // The shell sets the limit and then becomes the program. Its arguments contain nothing from
      // the file.
      _ = try await CapturedProgram.output(
        of: "sh",
        ["-c", "ulimit -d \(limits.memory >> 10) && exec \"$0\" \"$@\"", program]
          + arguments(folder.path),
        environment: environment(folder.path), limit: 1 << 20, time: limits.time)
      guard let result = try folder.content(of: output, limit: limits.output) else {
        throw UserError(
          .plugin, "\(name) wrote no \(format?.rawValue.uppercased() ?? "result") of the file")
      }
      if let format, !format.recognizes(result) {
        throw UserError(
          .plugin, "the output of \(name) is not \(format.rawValue.uppercased())")
      }
      return result
    } catch let error as UserError {
      throw error
    } catch let failure as CapturedProgram.Failure {
      throw self.failure(failure)
    } catch let failure as SystemCallError {
      if failure == SystemCallError(EFBIG) {
        throw UserError(
          .plugin, "the output of \(name) is larger than \(limits.output >> 20) MiB")
      }
      throw UserError(.plugin, "cannot convert the file: \(failure)")
    } catch { throw UserError(.plugin, "\(name): \(error)") }
  }
}
