import Actions
import ArgumentParser

/// The options of `add` for web pages, books and word-processor documents.
struct FetchOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "New file of a page, or new folder of a book.", completion: .file())
  var output: String?
  @Flag(help: "Take all of a page, not only its article.") var whole = false
  @Flag(help: "Put underlined words between HTML's tags as well (word-processor documents).")
  var tags = false
  @Flag(
    help:
      "Write nothing, and end with exit code 10, if something of a word processor's text would be lost."
  )
  var failOnLoss = false
  @Flag(help: "Add a page or a book that the library already has once more.") var again = false
  @Option(help: "Stop fetching after N seconds.") var timeout = 30
  @Flag(
    name: .customLong("allow-private"), help: "Fetch from this machine and its network too.")
  var allowsPrivate = false

  /// The allowed values of `--timeout` in seconds.
  private static let timeouts = 1...3600

  func validate() throws {
    guard Self.timeouts.contains(timeout) else {
      throw ValidationError(
        "--timeout is \(Self.timeouts.lowerBound) to \(Self.timeouts.upperBound) seconds")
    }
  }

  /// Returns the request to add what the arguments name.
  func request(_ paths: [String]) -> AddDocuments {
    AddDocuments(
      paths: paths, output: output, whole: whole, tags: tags, failOnLoss: failOnLoss, again: again,
      timeout: timeout, allowPrivate: allowsPrivate)
  }
}
