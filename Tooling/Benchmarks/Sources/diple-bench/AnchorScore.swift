import Anchoring
import Foundation
import Model

/// How the places that were found compare with the known ones.
struct AnchorScore {
  enum Outcome: String { case right, partial, wrong, missed, resurrected, orphan }

  private var counts: [Outcome: Int] = [:]
  private var sure = 0
  private var sureAndWrong = 0
  private var sureAndGone = 0

  /// Right from four fifths of overlap (intersection over union) with a known place on.
  static func outcome(_ test: AnchorSet.Case, _ anchor: Anchor) -> Outcome {
    guard let range = anchor.range?.utf16 else { return test.truth.isEmpty ? .orphan : .missed }
    guard !test.truth.isEmpty else { return .resurrected }
    let overlap =
      test.truth.map { place -> Double in
        let shared = max(
          0, min(range.upperBound, place.upperBound) - max(range.lowerBound, place.lowerBound))
        let all =
          max(range.upperBound, place.upperBound) - min(range.lowerBound, place.lowerBound)
        return Double(shared) / Double(max(1, all))
      }.max() ?? 0
    return overlap >= 0.8 ? .right : overlap > 0 ? .partial : .wrong
  }

  mutating func add(_ outcome: Outcome, _ anchor: Anchor) {
    counts[outcome, default: 0] += 1
    guard anchor.state != .doubtful, anchor.state != .orphaned else { return }
    sure += 1
    if outcome == .wrong { sureAndWrong += 1 }
    if outcome == .resurrected { sureAndGone += 1 }
  }

  static let header = """
    | | n | recall | partial | wrong | missed | gone | resurrected | sure | wrong among sure | gone among sure |
    |---|---|---|---|---|---|---|---|---|---|---|
    """

  func row(_ name: String) -> String {
    let alive = [.right, .partial, .wrong, .missed].reduce(0) { $0 + (counts[$1] ?? 0) }
    let gone = (counts[.resurrected] ?? 0) + (counts[.orphan] ?? 0)
    func percent(_ count: Int?, _ all: Int) -> String {
      all == 0 ? "" : String(format: "%.2f", 100 * Double(count ?? 0) / Double(all))
    }
    let cells = [
      name, "\(alive)", percent(counts[.right], alive), percent(counts[.partial], alive),
      percent(counts[.wrong], alive), percent(counts[.missed], alive), "\(gone)",
      percent(counts[.resurrected], gone), percent(sure, alive + gone),
      percent(sureAndWrong, sure), percent(sureAndGone, sure),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }
}
