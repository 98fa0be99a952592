import Anchoring
import Foundation
import Model

/// The counts of right and wrong anchors in a set.
struct AnchorScore {
  enum Outcome: String { case right, partial, wrong, missed, resurrected, orphan }

  /// The anchors with a score in some range: their number, how many of them are right, and how many
  /// are at a wrong place.
  private struct Bin {
    var count = 0
    var right = 0
    var wrong = 0
  }

  /// The lower bounds of the ranges of scores, in descending order.
  private static let bins = [0.95, Anchorer.sureScore, Anchorer.doubtfulScore]

  private var counts: [Outcome: Int] = [:]
  private var sure = 0
  private var sureAndWrong = 0
  private var sureAndGone = 0
  private var bins = Array(repeating: Bin(), count: Self.bins.count)

  /// Returns the outcome of an anchor. It is right if its overlap with a known place (intersection
  /// over union) is at least 0.8.
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
    if anchor.range != nil, let bin = Self.bins.firstIndex(where: { anchor.score >= $0 }) {
      bins[bin].count += 1
      if outcome == .right { bins[bin].right += 1 }
      if outcome == .wrong || outcome == .resurrected { bins[bin].wrong += 1 }
    }
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
    let gone = (counts[.resurrected] ?? 0) + (counts[.orphan] ?? 0)
    let cells = [
      name, "\(alive)", Self.percent(counts[.right], alive),
      Self.percent(counts[.partial], alive),
      Self.percent(counts[.wrong], alive), Self.percent(counts[.missed], alive), "\(gone)",
      Self.percent(counts[.resurrected], gone), Self.percent(sure, alive + gone),
      Self.percent(sureAndWrong, sure), Self.percent(sureAndGone, sure),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  /// The sentence of the README with these figures.
  var sentence: String {
    let gone = (counts[.resurrected] ?? 0) + (counts[.orphan] ?? 0)
    let wrong = counts[.wrong] ?? 0
    let all = String((alive + gone).formatted(.number.locale(Locale(identifier: "en_US"))))
    let recall = String(format: "%.1f", 100 * Double(counts[.right] ?? 0) / Double(max(1, alive)))
    let placed = wrong == 0 ? "none is" : wrong == 1 ? "1 is" : "\(wrong) are"
    return "\(all) highlights through real edits, \(recall) % are found and "
      + "\(placed) placed wrongly"
  }

  /// A line with the share of right anchors in each range of scores.
  var calibration: String {
    let parts = zip(Self.bins, bins).map { least, bin in
      "from \(least): \(bin.count), \(Self.percent(bin.right, bin.count)) % right, "
        + "\(Self.percent(bin.wrong, bin.count)) % at another place"
    }
    return "Anchors by score: " + parts.joined(separator: "; ") + "."
  }

  private var alive: Int {
    [.right, .partial, .wrong, .missed].reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  /// Returns a figure in percent; nil if there are no highlights or anchors to count. `recall` and
  /// `wrong` are shares of the highlights whose passage still exists, `resurrected` is a share of
  /// the highlights whose passage is gone. `wrongAmongSure` is a share of the anchors that are
  /// shown as certain. The others are the shares of right anchors among all with a score of at
  /// least 0.95, or from 0.8 to below 0.95.
  func share(_ figure: AnchorGoal.Figure) -> Double? {
    func share(_ count: Int, _ all: Int) -> Double? {
      all == 0 ? nil : 100 * Double(count) / Double(all)
    }
    switch figure {
    case .recall: return share(counts[.right] ?? 0, alive)
    case .wrong: return share(counts[.wrong] ?? 0, alive)
    case .resurrected:
      let all = (counts[.resurrected] ?? 0) + (counts[.orphan] ?? 0)
      return share(counts[.resurrected] ?? 0, all)
    case .wrongAmongSure: return share(sureAndWrong, sure)
    case .rightFrom95: return share(bins[0].right, bins[0].count)
    case .rightFrom80: return share(bins[1].right, bins[1].count)
    }
  }

  private static func percent(_ count: Int?, _ all: Int) -> String {
    all == 0 ? "" : String(format: "%.2f", 100 * Double(count ?? 0) / Double(all))
  }
}
