import Actions
import Console
import Files
import FoundationEssentials
import Glibc
import Interchange
import LibraryExchange
import Model
import Rendering
import SystemSupport
import Workspace

extension ExportCommand {
  /// Reads the template named by the user, which may be the pipe of `<(COMMAND)`. Returns nil
  /// without `--template`.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if it can't be read, or `usage` if it is too
  ///   long, isn't valid UTF-8 or has a syntax error.
  func readTemplate(_ context: CommandContext) throws -> Template? {
    guard let file = template else { return nil }
    let bytes = try context.content(of: file, limit: Template.longest)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UserError(.usage, "the template \(file) is not UTF-8")
    }
    do throws(Template.Problem) { return try Template(text) } catch {
      throw UserError(.usage, "the template \(file): \(error)")
    }
  }

  /// Returns whether to update regions of the output file. This requires an export as Markdown to a
  /// file, and either `--update` or regions in the file, which may be damaged.
  ///
  /// - Throws: ``UserError`` with the system's error if the status of the file can't be read.
  func isManaged() throws(UserError) -> Bool {
    guard output != "-", to == "markdown" else { return false }
    guard !update else { return true }
    guard let status = try FileSystem.status(of: output), !status.isFolder,
      let bytes = try? SourceFile.content(of: output).0
    else { return false }
    do throws(ManagedText.Problem) { return try ManagedText(bytes).isManaged } catch { return true }
  }

  /// Updates the regions of a file and keeps the other text.
  ///
  /// - Throws: ``UserError`` with the code `conflict` if the markers of the regions are damaged or
  ///   the user has changed a region. With `--force`, changed regions are overwritten. Also the
  ///   errors of reading and writing the file.
  func updateFile(
    _ wanted: HighlightFilter, _ template: Template, in library: Library,
    _ exportOptions: ExportOptions, _ context: CommandContext
  ) async throws {
    let content = try await library.managedContent(wanted, template, exportOptions)
    let target = try OutputFile.target(of: output)
    let isThere = try FileSystem.status(of: target) != nil
    let old = isThere ? try SourceFile.content(of: target).0 : []
    var text: ManagedText
    do throws(ManagedText.Problem) {
      text = try ManagedText(old.isEmpty ? ManagedText.unmarked(content.before) : old)
    } catch {
      throw UserError(
        .conflict, "\(output) is not written: \(error)",
        hint: "correct that line, or write to another file")
    }
    let obsolete = try await library.obsoleteRegions(
      text.keys.subtracting(content.regions.map(\.key)))
    let report = text.update(
      to: content.regions.map { ManagedText.Entry(key: $0.key, content: $0.content) },
      overwrites: force, prunes: prune, isObsolete: obsolete.contains)
    guard report.conflicts.isEmpty else {
      throw UserError(
        .conflict,
        "\(output) is not written: \(report.conflicts.count.counted("region")) that you changed "
          + "would be overwritten (line \(report.conflicts.map(String.init).joined(separator: ", ")))",
        hint: "--force overwrites them, and keeps a copy of the old file beside it")
    }
    if old.isEmpty { text.append(ManagedText.unmarked(content.after)) }
    let new = text.bytes
    if new != old {
      try await replace(old, with: new, in: library, context)
    } else {
      AtomicReplacement.sweep(target.parentFolder)
    }
    context.answer(
      options, "diple.export/1", Record(form: to, output: output, text: nil)
    ) { show(report, isWritten: new != old, context) }
  }

  /// Replaces the file and saves the old version with a `~` at the end of its name.
  ///
  /// - Throws:
  ///   - ``UserError`` with the code `conflict` if another program has changed the file since it
  ///     was read, or if the file is a document or the library's database
  ///   - the system's error if the file can't be written.
  private func replace(
    _ old: [UInt8], with new: [UInt8], in library: Library, _ context: CommandContext
  ) async throws {
    let target = try OutputFile.target(of: output)
    guard let status = try FileSystem.status(of: target) else {
      return try await context.write(new, toFile: output, force: false, options)
    }
    try await library.requireForeign(target)
    if !old.isEmpty {
      let copies = KeptCopy(environment: context.terminal.environment)
      let path = FileSystem.absolute(output)
      let copy = try await copies.write(old, of: path, mode: UInt32(status.st_mode & 0o777)) {
        try await library.requireForeign($0)
      }
      if copy != path + "~" {
        context.show("\(output)~ exists already, so the copy of the old file is \(copy)")
      }
    }
    let writer = try FileWriter(replacing: target, old, with: new)
    _ = try writer.commit()
    AtomicReplacement.finish([target])
  }

  private func show(_ report: ManagedText.Report, isWritten: Bool, _ context: CommandContext) {
    var parts: [String] = []
    if report.added > 0 { parts.append("\(report.added) added") }
    if report.changed > 0 { parts.append("\(report.changed) changed") }
    if !report.removed.isEmpty { parts.append("\(report.removed.count) removed") }
    if report.edited > 0 { parts.append("\(report.edited) with your changes kept") }
    let what = isWritten ? "written" : "up to date"
    let details = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    context.show("\(output) \(what)\(details)")
    guard !report.obsolete.isEmpty else { return }
    let ids = report.obsolete.map { String($0.drop { $0 != ":" }.dropFirst()) }
    context.show(
      """
      \(report.obsolete.count.counted("region")) about highlights that are no longer in the \
      library (\(ids.prefix(5).joined(separator: ", "))\(ids.count > 5 ? ", …" : "")); --prune \
      removes them
      """
    )
  }

  func requireManageable() throws {
    if update || prune, output == "-" {
      throw UserError(.usage, "--update and --prune need a file", hint: "name it with -o FILE")
    }
    if template != nil || update || prune, to != "markdown" {
      throw UserError(.usage, "--template, --update and --prune need --to markdown")
    }
  }
}
