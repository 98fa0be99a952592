import Glibc
import RichMarkdown
import RichText
import RichTextFormats
import SystemSupport
import Workspace

/// Converts a word-processor file in another process on trial, with limits on memory and time. A
/// file that exceeds them is refused before this process reads it.
package enum RichTrial {
  /// The format of a file.
  package enum Form: String, Sendable {
    case rtf, json

    /// Returns the document in a file's bytes.
    func document(of bytes: [UInt8]) throws -> RichDocument {
      switch self {
      case .rtf:
        var document = try RTFReader.read(bytes)
        if !RTFReader.isOwn(bytes) { document.recognizeLists() }
        return document
      case .json:
        var document = RichDocument(text: try AttributedText(json: bytes))
        document.margins = document.text.other.removeValue(forKey: "margins").flatMap(
          EditorMargins.init(json:))
        return document
      }
    }
  }

  /// The hidden command of `diple` that runs a trial on the files of a folder.
  package static let command = "---trial"
  /// The size of a file, in bytes, up to which a trial isn't needed.
  static let smallest = 1 << 20
  /// The maximum processor time of a trial, in seconds.
  private static let seconds = 60
  private static let file = "text."

  /// The memory that the program takes without a file, in bytes.
  private static let program = 32 << 20
  /// The size of a file, in bytes, up to which the maximum memory for its conversion is constant.
  private static let long = 8 << 20

  /// Returns the maximum memory for the conversion of a file, in bytes. For a file of more than 8
  /// MiB it is 8 times the size or 1 GiB, whichever is less, minus the memory of the program, but
  /// at least 128 MiB. Otherwise it is 256 MiB, because a text of 8 MB takes 190 MB.
  package static func memory(for size: Int) -> Int {
    size > long ? max(128 << 20, min(1 << 30, 8 * size) - program) : 256 << 20
  }

  /// Tries to convert a file in another process. Small files are not tried.
  ///
  /// - Parameters:
  ///   - name: the file's name for messages.
  ///   - memory: the memory that it may take, in bytes; nil for `memory(for:)`.
  /// - Throws: `usage` if it takes more memory or time than allowed; `notFound` if `diple` isn't
  ///   installed beside this program.
  static func run(
    _ bytes: [UInt8], _ form: Form, called name: String, memory: Int? = nil
  ) async throws(UserError) {
    guard bytes.count > smallest else { return }
    let folder: TemporaryFolder
    do throws(SystemCallError) {
      folder = try TemporaryFolder("trial")
      try folder.write(bytes, to: file + form.rawValue)
    } catch { throw UserError(.conflict, "cannot write a temporary file: \(error)") }
    let memory = memory ?? Self.memory(for: bytes.count)
    let trial: RunningProgram
    do throws(Program.StartError) {
      trial = try Program.sibling("diple", [command, folder.path, "\(memory)"]).start()
    } catch { throw error.userError }
    // The trial of a damaged file succeeds. The error is reported when this process reads the file.
    guard await trial.exitCode(within: 2 * seconds) == 0 else {
      throw UserError(
        .usage,
        "\(name) takes more than \(memory >> 20) MiB of memory or \(seconds) s to convert",
        hint: "split the file")
    }
  }

  /// Limits this process, converts the file in a folder and exits. The exit code is 0 unless a
  /// limit is exceeded.
  package static func convert(in folder: String, memory: Int) -> Never {
    // Discard the runtime's error output. The process that started this one prints an error.
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    if null >= 0 { dup2(null, 2) }
    // A limit that is exceeded is not a crash to report.
    for number in [SIGABRT, SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
    for form in [Form.rtf, .json] {
      let path = folder.appending(file + form.rawValue)
      limit(RLIMIT_CORE, to: 0)
      limit(RLIMIT_CPU, to: seconds)
      limit(RLIMIT_DATA, to: memory)
      let bytes = try? Descriptor.contentOfRegularFile(path, limit: RichFile.sizeLimit)
      guard let bytes, let document = try? form.document(of: bytes) else { continue }
      withExtendedLifetime(document.conversion(MarkdownConversion.Options())) {}
    }
    exit(0)
  }

  private static func limit(_ resource: __rlimit_resource, to value: Int) {
    var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
    setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }
}
