import Configuration
import Console
import Interchange
import LibraryExchange
import Model
import Rendering
import SystemSupport
import Workspace

extension ImportCommand {
  /// Imports a quote from each scanned page. `--words` limits it to a range of recognised words.
  func importPictures(_ files: [String], _ context: CommandContext) async throws {
    guard words == nil || files.count == 1 else {
      throw UserError(.usage, "--words can only be used with one picture")
    }
    let languages = try lang ?? context.libraries.settings(options).text(.importLanguages)
    var pictures: [(picture: ScannedPicture, words: Range<Int>)] = []
    for file in files {
      let picture = try await ScannedPicture(reading: file, languages: languages)
      if let warning = picture.page.doubt {
        context.warn(
          UserError(
            .nothing, "\(file): \(warning)",
            hint: "--list-words prints the recognised words; a sharper picture, or --lang, may help"
          ),
          options)
      }
      if listsWords {
        list(picture.page, file, context)
        continue
      }
      pictures.append((picture, try range(in: picture.page, of: file)))
    }
    if listsWords { return }
    let library = try context.libraries.library(options, .existing)
    var target: Document?
    if let doc { target = try await context.document(doc, in: library, toChange: true) }
    var total = ImportReport()
    for (picture, words) in pictures {
      total.add(
        try await library.importPicture(
          picture, words: words, into: target, dryRun: writing.dryRun))
    }
    try finish(total, context)
  }

  private func range(in page: ScannedPage, of file: String) throws(UserError) -> Range<Int> {
    guard let words else { return page.words.indices }
    guard let range = page.range(words) else {
      throw UserError(
        .notFound, "'\(words)' does not occur exactly once in \(file)",
        hint:
          "write the numbers of the first and last word, such as 1..16; --list-words prints them")
    }
    return range
  }

  /// The recognised words of a picture, a record of the schema `diple.words/1`.
  private struct WordsRecord: Encodable {
    var path: String
    var page: ScannedPage
  }

  private func list(_ page: ScannedPage, _ file: String, _ context: CommandContext) {
    context.answer(options, "diple.words/1", WordsRecord(path: file, page: page)) {
      var line = -1
      var text = ""
      for (index, word) in page.words.enumerated() {
        if word.line != line, !text.isEmpty {
          context.terminal.output.line(text)
          text = ""
        }
        line = word.line
        text += (text.isEmpty ? "" : "  ") + "\(index + 1) \(word.text.sanitizedForTerminal)"
      }
      context.terminal.output.line(text)
    }
  }
}
