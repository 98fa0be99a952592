import ArgumentParser
import Configuration
import Console
import DaemonKit
import SystemSupport

/// The passage that a command works on, which may be a highlight.
struct PassageOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "[DOC] SPEC, or a highlight id; in the line editor the selection when omitted.",
      valueName: "passage"),
    completion: .values(.documentOrHighlight, .spec))
  var words: [String] = []
  @OptionGroup var dialects: DialectOptions

  /// The passage as its text is now.
  ///
  /// - Throws: `usage` also where the settings say that nothing is selected.
  func passage(_ context: CommandContext, _ options: GlobalOptions) async throws -> Passage {
    try context.libraries.settings(options).checkSelectable()
    return try await context.passage(ofHighlightOr: words, options, in: dialects.dialect)
  }
}
