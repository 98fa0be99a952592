import FoundationEssentials
import Glibc
import Workspace

/// What can be seen of a file without reading it: another look means another content, or may.
struct FileLook: Hashable {
  private let size: Int
  private let inode: UInt
  private let seconds: Int
  private let nanoseconds: Int

  /// Looks at a file; nil when it is not there.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    inode = UInt(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}

/// Where commands write while a screen is shown: a file without a name.
final class ScratchOutput {
  let output: Output
  private let file: UnsafeMutablePointer<FILE>

  init() throws {
    guard let file = tmpfile() else {
      throw LibraryError(.conflict, "no temporary file: \(String(cString: strerror(errno)))")
    }
    self.file = file
    output = Output(descriptor: fileno(file))
  }

  deinit { fclose(file) }

  /// What was written since this was last asked.
  func take() -> String {
    output.flush()
    let descriptor = fileno(file)
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = pread(descriptor, &bytes, size, 0)
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// Notes are written in a person's own editor.
struct NoteEditor {
  private let command: String
  private let folder: String

  /// `DIPLE_EDITOR`, else `VISUAL`, else `EDITOR`, else `vi`.
  init(environment: [String: String]) {
    let named = ["DIPLE_EDITOR", "VISUAL", "EDITOR"].compactMap { environment[$0] }
    command = named.first { !$0.isEmpty } ?? "vi"
    folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Lets the person edit a note, and gives it without the line end that editors add.
  func edit(_ note: String) -> Result<String, LibraryError> {
    var template = Array((folder + "/diple-note-XXXXXX.md").utf8CString)
    let descriptor = mkstemps(&template, 3)
    guard descriptor >= 0 else {
      return .failure(
        LibraryError(.conflict, "no temporary file: \(String(cString: strerror(errno)))"))
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    let output = Output(descriptor: descriptor)
    output.write(note.isEmpty ? "" : note + "\n")
    output.flush()
    close(descriptor)
    let code = ShellCommand(command, path).run()
    guard code == 0 else {
      return .failure(LibraryError(.plugin, "the editor ended with \(code); nothing was changed"))
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      return .failure(LibraryError(.notFound, "the note could not be read back"))
    }
    var text = String(decoding: data, as: UTF8.self)
    while text.last?.isNewline == true { text.removeLast() }
    return .success(text)
  }
}
