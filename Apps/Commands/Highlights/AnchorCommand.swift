import ArgumentParser
import Console

/// The `anchor` command, which checks and changes the positions of highlights.
struct AnchorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anchor",
    abstract: "Review highlights whose place is doubtful or lost.",
    discussion: """
      Examples:
        diple anchor review
        diple anchor check
      """,
    subcommands: [
      Review.self, Accept.self, Reject.self, Reattach.self, Check.self, InstallHook.self,
    ], defaultSubcommand: Review.self)
}
