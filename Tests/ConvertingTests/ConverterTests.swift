import Converting
import Foundation
import SystemSupport
import TestSupport
import Testing

/// Tests converting with scripts as programs, and with the real ones if they are installed.
@Suite struct ConverterTests {
  private static let rtf = Array(
    #"{\rtf1\ansi\pard Plain {\b bold} {\i it}\u8212\'3f end.\par\pard second\par}"#.utf8)

  private static func isInstalled(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  /// Returns the folder of a program that is a script. The folder is deleted with its object.
  private func script(_ text: String, name: String = "soffice") throws -> (WorkFolder, String) {
    let folder = try WorkFolder()
    let path = folder.path + "/" + name
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return (folder, folder.path + ":/usr/bin:/bin")
  }

  private func failure(_ text: String, _ limits: ConversionLimits = ConversionLimits()) async throws
    -> UserError
  {
    let (folder, path) = try script(text)
    defer { withExtendedLifetime(folder) {} }
    do {
      _ = try await LibreOffice(limits: limits, searchPath: path).convert(
        Self.rtf, from: .rtf, to: .docx, title: "")
    } catch { return error }
    Issue.record("it was converted")
    return UserError(.nothing, "")
  }

  @Test func `a missing program is reported with its package`() async throws {
    let office = LibreOffice(searchPath: "/nowhere")
    await #expect(throws: UserError.self) { try await office.version() }
    do {
      _ = try await office.convert(Self.rtf, from: .rtf, to: .docx, title: "")
    } catch {
      #expect(error.code == .plugin)
      #expect(
        error.description
          == "LibreOffice is not installed; sudo apt-get install libreoffice-writer-nogui")
    }
    do { _ = try await Pandoc(searchPath: "/nowhere:").version() } catch {
      #expect(error.description == "pandoc is not installed; sudo apt-get install pandoc")
    }
  }

  @Test func `a program that exceeds its memory limit is ended`() async throws {
    var limits = ConversionLimits()
    limits.memory = 32 << 20
    let error = try await failure(
      "x=$(head -c 200000000 /dev/zero | tr '\\0' a); mkdir -p \"$PWD\"; exit 0", limits)
    #expect(error.code == .plugin && error.message.contains("could not convert"), "\(error)")
    limits.memory = 1 << 30
    let other = try await failure("exit 0", limits)
    #expect(other.message.contains("wrote no DOCX"), "\(other)")
  }

  @Test func `a program that fails or has no valid output is reported in one line`()
    async throws
  {
    #expect(
      try await failure("echo 'no such filter' >&2; exit 3").description
        == "LibreOffice could not convert the file: no such filter")
    #expect(try await failure("kill -9 $$").code == .plugin)
    #expect(
      try await failure("exit 0").description == "LibreOffice wrote no DOCX of the file")
    let writes = #"for a; do case "$p" in --outdir) o="$a";; esac; p="$a"; done; mkdir -p "$o"; "#
    #expect(
      try await failure(writes + #"echo hello > "$o/input.docx""#).description
        == "the output of LibreOffice is not DOCX")
    #expect(
      try await failure(writes + #"ln -s /etc/passwd "$o/input.docx""#).code == .plugin)
    var limits = ConversionLimits()
    limits.output = 1 << 20
    #expect(
      try await failure(writes + #"head -c 2000000 /dev/zero > "$o/input.docx""#, limits)
        .description
        == "the output of LibreOffice is larger than 1 MiB")
    #expect(try await failure("yes", ConversionLimits()).code == .plugin)
  }

  @Test
  func `a program that times out is ended with its child processes, and its folder is deleted`()
    async throws
  {
    let folder = try WorkFolder()
    let variable = "DIPLE_CONVERTER=\(UUID().uuidString)"
    var limits = ConversionLimits()
    limits.time = .milliseconds(300)
    let error = try await failure(
      "export \(variable); echo \"$HOME\" > '\(folder.path)/home'; mkdir -p \"$HOME/profile/x/y\"; sleep 100 & wait",
      limits)
    #expect(error.description.hasPrefix("LibreOffice could not convert the file: timed out"))
    let home = try folder.read("home").split(separator: "\n").joined()
    #expect(home.contains("diple-convert"))
    #expect(!FileManager.default.fileExists(atPath: home))
    let deadline = ContinuousClock.now + .seconds(10)
    while try !processes(with: variable).isEmpty, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try processes(with: variable).isEmpty)
  }

  @Test func `a different or outdated program is rejected`() async throws {
    let (first, other) = try script("echo 'Office 97'")
    defer { withExtendedLifetime(first) {} }
    await #expect(throws: UserError.self) { try await LibreOffice(searchPath: other).version() }
    let (second, old) = try script("echo 'pandoc 2.9.2.1'", name: "pandoc")
    defer { withExtendedLifetime(second) {} }
    do {
      _ = try await Pandoc(searchPath: old).convert(
        Array("a".utf8), from: .markdown, to: .epub, title: "")
      Issue.record("it was converted")
    } catch {
      #expect(
        error.description
          == "pandoc 2.9.2.1 is too old to be used safely; install pandoc 2.15 or later")
    }
  }

  @Test func `a file of another format is rejected before a program is run`() async throws {
    let (folder, path) = try script("touch \"$HOME/../was-run-\(getpid())\"")
    defer { withExtendedLifetime(folder) {} }
    for format in [OfficeFormat.docx, .odt, .rtf] {
      do {
        _ = try await LibreOffice(searchPath: path).convert(
          Array("<html><img src='file:///etc/passwd'>".utf8), from: format, to: .pdf, title: "")
        Issue.record("it was converted")
      } catch {
        #expect(error.description == "the file is not \(format.rawValue.uppercased())")
      }
    }
    let left = FileManager.default.temporaryDirectory.path + "/was-run-\(getpid())"
    #expect(!FileManager.default.fileExists(atPath: left))
  }

  @Test(.enabled(if: isInstalled("soffice")))
  func `LibreOffice converts between RTF, DOCX, ODT and PDF`() async throws {
    let office = LibreOffice()
    #expect(try await office.version().hasPrefix("LibreOffice "))
    let docx = try await office.convert(Self.rtf, from: .rtf, to: .docx, title: "")
    let odt = try await office.convert(docx, from: .docx, to: .odt, title: "")
    let rtf = try await office.convert(odt, from: .odt, to: .rtf, title: "")
    #expect(OfficeFormat.rtf.recognizes(rtf))
    #expect(String(decoding: rtf, as: UTF8.self).contains("second"))
    let pdf = try await office.convert(Self.rtf, from: .rtf, to: .pdf, title: "")
    #expect(OfficeFormat.pdf.recognizes(pdf))
    guard Self.isInstalled("pdftotext") else { return }
    let folder = try WorkFolder()
    try Data(pdf).write(to: URL(filePath: folder.path + "/a.pdf"))
    let text = try await CapturedProgram.output(
      of: "pdftotext", [folder.path + "/a.pdf", "-"], limit: 1 << 16)
    #expect(String(decoding: text, as: UTF8.self).contains("Plain bold it— end."))
  }

  @Test(.enabled(if: isInstalled("pandoc")))
  func `pandoc converts Markdown to books without including local files`() async throws {
    let markdown = Array(
      "# One\n\nA **b**[^1] ![x](/etc/passwd) <b>c</b> ![](../../../../../etc/passwd)\n\n[^1]: Note.\n"
        .utf8)
    for format in [OfficeFormat.epub, .docx, .odt] {
      let book = try await Pandoc().convert(
        markdown, from: .markdown, to: format, title: "-o \"T\" & ü")
      #expect(format.recognizes(book))
      #expect(!String(decoding: book, as: UTF8.self).contains("root:"))
    }
  }
}
