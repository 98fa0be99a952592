import Glibc
package import SystemSupport

/// A kind of file that converters read and write.
package enum OfficeFormat: String, Sendable, CaseIterable {
  case rtf, docx, odt, pdf, epub, markdown

  /// Whether bytes can be such a file: what other content would be read by something else.
  package func recognizes(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .rtf: bytes.starts(with: Array("{\\rtf".utf8))
    case .docx, .odt, .epub: bytes.starts(with: [0x50, 0x4B, 0x03, 0x04])
    case .pdf: bytes.starts(with: Array("%PDF-".utf8))
    case .markdown: true
    }
  }
}

/// Another program that makes a file of one kind into one of another kind.
package protocol DocumentConverter: Sendable {
  /// What it can do.
  var conversions: [(from: OfficeFormat, to: OfficeFormat)] { get }

  /// The program's name with its version.
  ///
  /// - Throws: `notFound` when it is not installed.
  func version() async throws(UserError) -> String

  /// Converts a file. The program has the file under a name of our own in a folder of its own, which is
  /// taken away with all that the program left there; it has `ConversionLimits`.
  ///
  /// - Parameter title: the title of the result, where the format has one.
  /// - Throws: `notFound` when the program is not installed, `plugin` when nothing came of it.
  func convert(
    _ bytes: [UInt8], from: OfficeFormat, to: OfficeFormat, title: String
  ) async throws(UserError) -> [UInt8]
}

/// What a program that converts may take.
package struct ConversionLimits: Sendable {
  /// How long; then it is killed with all that it started.
  package var time = Duration.seconds(60)
  /// The most bytes of memory that each of its processes may have of its own.
  package var memory = 1 << 30
  /// The most bytes of a file that it is given.
  package var input = 256 << 20
  /// The most bytes of a file that is taken from it.
  package var output = 512 << 20
  /// The usual ones.
  package init() {}
}

/// Runs one program on one file.
struct Conversion {
  /// What people call the program.
  let name: String
  /// The program's name on the path.
  let program: String
  /// How it is installed.
  let package: String
  let limits: ConversionLimits
  /// Where programs are looked for; nil for where this process does.
  let searchPath: String?

  /// What programs see beside what this one does: nothing of a document is fetched, and nothing of this
  /// person's settings is touched.
  private func environment(_ home: String) -> [String: String] {
    var variables = [
      "HOME": home, "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9",
      "no_proxy": "",
    ]
    variables["PATH"] = searchPath
    return variables
  }

  /// The first line of what the program says of its version.
  func version() async throws(UserError) -> String {
    do {
      let text = try await CapturedProgram.output(
        of: program, ["--version"], environment: environment("/nonexistent"), limit: 1 << 16,
        time: .seconds(20))
      let line = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).first
      guard let line, line.utf8.count <= 200 else {
        throw UserError(.plugin, "\(program) --version says nothing that \(name) would say")
      }
      return String(line)
    } catch let error as UserError {
      throw error
    } catch let failure as CapturedProgram.Failure {
      throw self.failure(failure)
    } catch { throw UserError(.plugin, "\(name): \(error)") }
  }

  /// Why nothing came of a run.
  func failure(_ failure: CapturedProgram.Failure) -> UserError {
    if failure.wasStarted {
      return UserError(.plugin, "\(name) could not convert the file: \(failure.description)")
    }
    return UserError(.plugin, "\(name) could not be run: \(failure.description)")
  }

  /// That the program is not there.
  var missing: UserError {
    UserError(.notFound, "\(name) is not installed", hint: "sudo apt-get install \(package)")
  }

  /// Refuses what the program should not see.
  func check(_ bytes: [UInt8], _ format: OfficeFormat) throws(UserError) {
    if bytes.count > limits.input {
      throw UserError(
        .usage, "too large to convert: \(bytes.count >> 20) MiB, at most \(limits.input >> 20)")
    }
    if !format.recognizes(bytes) {
      throw UserError(.usage, "the file is not \(format.rawValue.uppercased())")
    }
  }

  /// Runs the program with a folder that holds `input.EXTENSION`, and takes `output.EXTENSION` or what is
  /// named from it.
  func run(
    _ bytes: [UInt8], _ arguments: (_ folder: String) -> [String], input: String, output: String,
    files: [String: String] = [:], as format: OfficeFormat?
  ) async throws(UserError) -> [UInt8] {
    do {
      let folder = try ConversionFolder()
      try folder.write(bytes, to: input)
      for (name, text) in files { try folder.write(Array(text.utf8), to: name) }
      // The shell sets the limit and becomes the program; nothing of the file is in its words.
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
          .plugin, "what \(name) wrote is not \(format.rawValue.uppercased())")
      }
      return result
    } catch let error as UserError {
      throw error
    } catch let failure as CapturedProgram.Failure {
      throw self.failure(failure)
    } catch let failure as SystemFailure {
      if failure == SystemFailure(EFBIG) {
        throw UserError(
          .plugin, "what \(name) wrote is larger than \(limits.output >> 20) MiB")
      }
      throw UserError(.plugin, "cannot convert the file: \(failure)")
    } catch { throw UserError(.plugin, "\(name): \(error)") }
  }
}
