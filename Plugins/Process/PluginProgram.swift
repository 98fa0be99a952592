import FoundationEssentials
import Model
import Search
import SystemSupport

/// A plugin whose manifest was read. Its program runs once for each request, or once for all
/// requests of a ``PluginSession``.
package struct PluginProgram: Sendable {
  /// The plugin's folder.
  package let folder: String
  /// The plugin's manifest.
  package let manifest: PluginManifest

  init(folder: String, _ manifest: PluginManifest) {
    self.folder = folder
    self.manifest = manifest
  }

  /// A line of a response. The members depend on the request.
  struct Answer: Decodable {
    var start: Int?
    var end: Int?
    var score: Double?
    var text: String?
    var record: PluginHighlight?
    var media: String?
    var base64: String?
    var done: Bool?
    var error: String?
  }

  /// Sends a request and returns the response without its last line, which confirms that it is
  /// complete.
  ///
  /// - Throws: ``PluginError`` if the program fails, if the response is invalid, or with the
  ///   error that the plugin reports.
  ///
  /// - Parameter session: the session for programs that answer several requests. Other programs are
  ///   started for each request.
  func answers(to request: some Encodable, in session: PluginSession? = nil) throws(PluginError)
    -> [Answer]
  {
    guard let line = try? JSONEncoder.ordered(dates: .iso8601).encode(request) else {
      throw PluginError("its request cannot be written as JSON")
    }
    let output: [UInt8]
    if manifest.persistent, let session {
      output = try session.answer(of: self, to: Array(line) + [10])
    } else {
      output = try PluginRun(folder: folder, manifest: manifest).output(for: Array(line) + [10])
    }
    var answers = try Self.decode(output)
    guard let last = answers.popLast(), last.done == true || last.error != nil else {
      throw PluginError("it ended before \"done\"")
    }
    if let error = last.error { throw PluginError(error) }
    if answers.contains(where: { $0.done != nil || $0.error != nil }) {
      throw PluginError("it wrote output after \"done\"")
    }
    return answers
  }

  private static let endings = [ByteFinder("\"done\"".utf8), ByteFinder("\"error\"".utf8)]

  /// Whether a line ends an answer.
  static func endsAnswer(_ line: ArraySlice<UInt8>) -> Bool {
    // Most lines are ranges, which need not be decoded.
    let mayEnd = line.withUnsafeBufferPointer { line in
      endings.contains { $0.first(in: line, from: 0, before: line.count) != nil }
    }
    guard mayEnd, let last = try? JSONDecoder().decode(Ending.self, from: Data(line)) else {
      return false
    }
    return last.done == true || last.error != nil
  }

  /// The members of an answer's last line.
  private struct Ending: Decodable {
    var done: Bool?
    var error: String?
  }

  /// Decodes all lines at once, which is many times as fast as one by one.
  private static func decode(_ output: [UInt8]) throws(PluginError) -> [Answer] {
    let lines = output.split(separator: 10).filter { !$0.allSatisfy { $0 <= 32 } }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    if let all = try? decoder.decode(
      [Answer].self, from: Data([0x5B] + lines.joined(separator: [0x2C]) + [0x5D])),
      all.count == lines.count
    {
      return all
    }
    for (index, line) in lines.enumerated() {
      if (try? decoder.decode(Answer.self, from: Data(line))) == nil {
        throw PluginError(
          "line \(index + 1) of its answer is not valid: "
            + String(decoding: line.prefix(80), as: UTF8.self))
      }
    }
    throw PluginError("its answer cannot be read")
  }

  /// Returns the ranges of a response in a text.
  ///
  /// - Throws: ``PluginError`` if a range is missing or empty, extends beyond the text or divides a
  ///   character.
  func ranges(_ answers: [Answer], in text: [UInt16]) throws(PluginError) -> [TextRange] {
    var places = OffsetConverter(text, manifest.offsets)
    var ranges: [TextRange] = []
    for (index, answer) in answers.enumerated() {
      guard let start = answer.start, let end = answer.end, let range = places.range(start, end)
      else {
        throw PluginError("line \(index + 1) of its answer is not a place in the text")
      }
      ranges.append(range)
    }
    return ranges
  }

  /// Returns the error message with the plugin's name.
  func named(_ problem: PluginError) -> String {
    "the plugin '\(manifest.id)' failed: \(problem)"
  }
}
