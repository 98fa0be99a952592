import Anchoring
import Model
import Synchronization
import SystemSupport

/// An anchor strategy that runs a program. If the program fails, it reports that once and is not
/// used again; other strategies still work.
final class ProcessAnchor: AnchorStrategy {
  static let id = "process-anchor"
  static let summary = "a program that finds places again"
  static let examples: [AnchorExample] = []

  private let program: PluginProgram
  private let warn: @Sendable (String) -> Void
  private let hasFailed = Mutex(false)

  init(_ program: PluginProgram, warn: @escaping @Sendable (String) -> Void) {
    self.program = program
    self.warn = warn
  }

  private struct Request: Encodable {
    var diple = PluginManifest.version
    var request = "anchor"
    var quote: String
    var prefix: String
    var suffix: String
    /// The range in `before`; both are omitted if the earlier text is unknown.
    var start: Int?
    var end: Int?
    var before: String?
    var text: String
  }

  func candidates(for subject: AnchorSubject, in context: AnchorContext) -> [Candidate] {
    if hasFailed.withLock({ $0 }) { return [] }
    do throws(PluginError) {
      let answers = try program.answers(to: request(subject, context))
      let ranges = try program.ranges(answers, in: context.text.units)
      return zip(answers, ranges).compactMap { answer, range in
        // Verify the proposed ranges against the quote, as for every strategy.
        context.verified(
          range.utf16, subject, score: min(1, max(0, answer.score ?? 0)), isMoved: false)
      }.sorted { $0.score > $1.score }
    } catch {
      hasFailed.withLock { $0 = true }
      warn(program.named(error))
      return []
    }
  }

  private func request(_ subject: AnchorSubject, _ context: AnchorContext) -> Request {
    var request = Request(
      quote: subject.selector.exact, prefix: subject.selector.prefix,
      suffix: subject.selector.suffix, text: String(units: context.text.units))
    if let before = context.snapshot, let last = subject.last,
      last.utf16.upperBound <= before.units.count
    {
      var places = OffsetConverter(before.units, program.manifest.offsets)
      request.start = places.theirs(last.utf16.lowerBound)
      request.end = places.theirs(last.utf16.upperBound)
      request.before = String(units: before.units)
    }
    return request
  }
}
