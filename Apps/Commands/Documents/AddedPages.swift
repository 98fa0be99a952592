import ArgumentParser
import Console
import DaemonKit
import Interchange
import Model
import SystemSupport
import Workspace

/// The options of `add` for web pages, books and word-processor documents.
struct PageOptions: ParsableArguments {
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

  /// Returns the request for an argument. Returns nil for other files and for folders.
  ///
  /// - Throws: ``UserError`` with the code `usage` for an address that is neither `http` nor
  ///   `https`.
  func order(for word: String) throws(UserError) -> FetchOrder? {
    guard let place = try Self.place(word) else { return nil }
    return FetchOrder(place, isWhole: whole, allowsPrivate: allowsPrivate, seconds: timeout)
  }

  private static let endings: Set<String> = ["html", "htm", "xhtml", "epub"]

  private static func place(_ word: String) throws(UserError) -> FetchOrder.Place? {
    if let end = word.firstRange(of: "://") {
      let scheme = word[..<end.lowerBound].lowercased()
      if ["http", "https"].contains(scheme) { return .web(word) }
      if !scheme.isEmpty, scheme.allSatisfy({ $0.isLetter || $0.isNumber }) {
        throw UserError(.usage, "\(word) is not an http or https address")
      }
    }
    let absolute = FileSystem.absolute(word)
    guard let ending = word.lastComponent.split(separator: ".").dropFirst().last,
      endings.contains(ending.lowercased()), let status = try FileSystem.status(of: absolute),
      !status.isFolder
    else { return nil }
    return .file(absolute)
  }
}
