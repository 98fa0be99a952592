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
  /// With `--list-words`, the words are only listed.
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
      let numbers = page.numbers(ofStart: words)
      let reason =
        switch numbers?.count {
        case nil: "'\(words)' is not a range FIRST..LAST of the words"
        case 0?, 1?: "the words '\(words)' do not occur in this order"
        default:
          "the start of '\(words)' occurs several times (\(Self.list(numbers ?? [])))"
        }
      throw UserError(
        .notFound, "\(reason) in \(file)",
        hint:
          "write the numbers of the first and last word, such as 1..16; --list-words prints them")
    }
    return range
  }

  /// Returns up to nine numbers, separated by commas.
  private static func list(_ numbers: [Int]) -> String {
    numbers.prefix(9).map(\.description).joined(separator: ", ") + (numbers.count > 9 ? ", …" : "")
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
