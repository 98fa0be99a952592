import Foundation
import Testing

extension SchemaTests {
  private static let before = """
    # The bridge

    The first sentence stays exactly as it is.

    The second sentence will be altered a little later on.

    A third one goes away for good, all of it together.

    ## The committee

    A fourth sentence that wanders off to another place entirely, far from here.

    ## The end

    Something more, so that the document is not too short for anything at all.

    """

  /// The document in which one sentence is unchanged and the others are changed, deleted and moved.
  private static let after = """
    # The bridge

    The first sentence stays exactly as it is.

    The second sentence will be changed a little later on.

    ## The committee

    ## The end

    Something more, so that the document is not too short for anything at all.

    A fourth sentence that wanders off to another place entirely, far from here.

    """

  /// Creates documents in every state with highlights in every state.
  func prepare(_ printed: Printed) throws {
    try bench.write("bridge.md", Self.before)
    try bench.write(
      "vote.md",
      "Before.\n\nThe committee decided that the bridge should be painted green in summer.\n\nAfter.\n"
    )
    try bench.write("gone.md", "# Gone\n\nSoon away.\n")
    try bench.write("removed.md", "# Removed\n\nTaken out.\n")
    try Data([0x63, 0xE9, 0x0A]).write(to: bench.folder.appendingPathComponent("latin.md"))
    try printed.run(bench, "init")
    try printed.run(bench, "add", "--dry-run", ".")
    try printed.run(bench, "add", ".")
    try printed.run(bench, "add", "bridge.md", code: 1)
    try printed.run(bench, "add", "-", "--title", "Pasted", input: "Some pasted words.\n")
    for quote in [
      "exactly as it is", "will be altered a little", "goes away for good",
      "wanders off to another place",
    ] {
      try printed.run(
        bench, "mark", "bridge.md", "\"\(quote)\"", "--note", "A note\nof “two” lines", "--tag",
        "one", "--tag", "two words")
    }
    try printed.run(bench, "mark", "bridge.md", "\"sentence\"#2", "--strategy", "every")
    try printed.run(bench, "mark", "bridge.md", "para:1", "--dry-run")
    try printed.run(bench, "mark", "vote.md", "para:2", "--strategy", "sentence")
    try printed.run(bench, "mark", "removed.md", "all", "--color", "pink")
    try printed.run(bench, "mark", "gone.md", "all", "--color", "blue")
    try printed.run(bench, "doc remove", "removed.md", "--dry-run")
    try printed.run(bench, "doc remove", "removed.md", "--yes")
    try bench.write("bridge.md", Self.after)
    try bench.write(
      "vote.md",
      "Other.\n\nLater the committee agreed that a bridge should be painted red in winter.\n\nEnd.\n"
    )
    try bench.shell("rm gone.md && rm latin.md && mkdir latin.md")
    try printed.run(bench, "refresh", code: 4)
  }
}
