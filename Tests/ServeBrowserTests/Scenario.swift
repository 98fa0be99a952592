import Foundation
import SystemSupport
import TestSupport
import Testing

/// A scenario of `Browser/run.py`, with a separate folder.
struct Scenario {
  private let words: [String]
  private let folder: WorkFolder

  init(_ words: String...) throws {
    self.words = words
    folder = try WorkFolder()
  }

  /// The folder of the built programs, which also contains the tests.
  private static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().path

  /// Whether scenarios run here. If tests are required to run them, they fail without a browser.
  static let canRun: Bool = {
    let environment = ProcessInfo.processInfo.environment
    if environment["CI"]?.isEmpty == false { return true }
    return ["chromium", "python3"].allSatisfy { name in
      environment["PATH"]?.split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
      } == true
    }
  }()

  /// Runs the scenario, records its failures, and returns its output.
  @discardableResult
  func run(within seconds: Double = 300) throws -> String {
    let (code, text) = try result(within: seconds)
    #expect(code == 0, "\(text)")
    if code == 0, !text.isEmpty { print(text) }
    return text
  }

  /// The output of the scenario.
  func output() throws -> String { try result(within: 60).text }

  private func result(within seconds: Double) throws -> (code: Int32, text: String) {
    let place = URL(filePath: #filePath).deletingLastPathComponent().path + "/Browser/run.py"
    let output = folder.path + "/output"
    let options =
      words[0].hasPrefix("--")
      ? [] : ["--programs", Self.programs, "--folder", folder.path, "--"]
    let code = try ChildProgram(["python3", place] + options + words, output: output)
      .end(within: seconds)
    let text = try String(contentsOfFile: output, encoding: .utf8)
    return (code, text.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
