import ArgumentParser
import Configuration
import Console
import DaemonKit
import SystemSupport

/// The passage or highlight that a command works on.
struct PassageOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "[DOC] SPEC, or a highlight id; in the line editor the selection when omitted.",
      valueName: "passage"),
    completion: .values(.documentOrHighlight, .spec))
  var words: [String] = []
  @OptionGroup var dialects: DialectOptions

  /// Returns the passage in the current version of its text.
  ///
  /// - Throws: ``UserError`` with the code `usage` if the words are invalid or the settings disable
  ///   selecting.
  func passage(_ context: CommandContext, _ options: GlobalOptions) async throws -> Passage {
    try context.libraries.settings(options).checkSelectable()
    return try await context.passage(ofHighlightOr: words, options, in: dialects.dialect)
  }
}
