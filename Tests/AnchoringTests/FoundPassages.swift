import Anchoring
import Model
import Strategies
import TestSupport

extension Anchorer {
  /// The strategies that use the previous text and the quote.
  static let usual = Anchorer(strategies: [
    KnownText(), EditMapping(), SnapshotDiff(), QuoteInContext(), Fuzzy(),
  ])

  /// Returns the anchors in `target` of the passages between `«` and `»`.
  ///
  /// - Parameter snapshot: Whether the old text is known. Otherwise only the quotes are searched
  ///   for.
  func anchors(of old: MarkedText, in target: AnchorText, snapshot: Bool) -> [Anchor] {
    let text = AnchorText(old.text)
    let subjects = old.ranges.map {
      AnchorSubject(
        selector: Selector(selecting: $0, in: text, digest: nil, renderVersion: 1),
        last: snapshot ? $0 : nil)
    }
    return reanchor(subjects, from: snapshot ? text : nil, to: target)
  }

  /// Returns the anchors of the passages between `«` and `»`, and their words in the new text.
  static func found(_ marked: String, in new: String, snapshot: Bool = true)
    -> [(anchor: Anchor, words: String?)]
  {
    let target = AnchorText(new)
    return usual.anchors(of: MarkedText(marked), in: target, snapshot: snapshot).map { anchor in
      (anchor, anchor.range.map { target.substring($0) })
    }
  }
}
