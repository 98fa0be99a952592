import Actions
import ArgumentParser

/// The options of `add` for web pages, books and word-processor documents.
struct FetchOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "New file of a page or text, or new folder of a book.",
    completion: .file())
  var output: String?
  @Flag(help: "Keep the whole page, not only its article.") var whole = false
  @Flag(help: "Write underlines as HTML tags (word-processor documents).")
  var tags = false
  @Flag(
    help:
      "Write nothing, and end with exit code 10, if a word-processor document would lose something."
  )
  var failOnLoss = false
  @Flag(help: "Add a second copy of a page or book that is in the library.") var again = false
  @Option(help: "Stop fetching after N seconds.") var timeout = 30
  @Flag(
    name: .customLong("allow-private"), help: "Also fetch from this machine and its local network.")
  var allowsPrivate = false

  /// The allowed values of `--timeout` in seconds.
  private static let timeouts = 1...3600

  func validate() throws {
    guard Self.timeouts.contains(timeout) else {
      throw ValidationError(
        "--timeout must be \(Self.timeouts.lowerBound) to \(Self.timeouts.upperBound) seconds")
    }
  }

  /// Returns the request to add what the arguments name, and a text.
  func request(_ paths: [String], text: String?, title: String?) -> AddDocuments {
    AddDocuments(
      paths: paths, text: text, title: title, output: output, whole: whole, tags: tags,
      failOnLoss: failOnLoss, again: again,
      timeout: timeout, allowPrivate: allowsPrivate)
  }
}
