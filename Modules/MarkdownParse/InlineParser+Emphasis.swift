extension InlineParser {
  /// Matches the closing delimiter runs after `bottom` with the opening ones after `bottom`, and
  /// removes all of these runs (“process emphasis” in the CommonMark appendix).
  mutating func resolveRuns(after bottom: Int) {
    guard lastRun > bottom else { return }
    // For each kind of closing run, the run before which no opening run can be found.
    var openersBottom = InlineArray<24, Int>(repeating: bottom)
    var closer = firstRun(after: bottom)
    while closer >= 0 {
      let run = runs[closer]
      guard run.canClose else {
        closer = run.next
        continue
      }
      let key = Self.key(of: run)
      var opener = run.previous
      while opener > bottom, opener > openersBottom[key], !matches(opener, run) {
        opener = runs[opener].previous
      }
      if opener > bottom, opener > openersBottom[key] {
        closer = pair(opener, closer)
      } else {
        openersBottom[key] = run.previous
        let next = run.next
        if !run.canOpen { remove(closer) }
        closer = next
      }
    }
    while lastRun > bottom { remove(lastRun) }
  }

  private func firstRun(after bottom: Int) -> Int {
    if bottom >= 0 { return runs[bottom].next }
    var index = lastRun
    while index >= 0, runs[index].previous >= 0 { index = runs[index].previous }
    return index
  }

  private static func key(of run: DelimiterRun) -> Int {
    let byte =
      switch run.byte {
      case UInt8(ascii: "*"): 0
      case UInt8(ascii: "_"): 1
      case UInt8(ascii: "~"): 2
      default: 3
      }
    // Runs of `~` and `=` match only runs of the same length.
    let third = byte == 2 ? run.length : run.length % 3
    return byte * 6 + (run.canOpen ? 3 : 0) + third
  }

  private func matches(_ opener: Int, _ closer: DelimiterRun) -> Bool {
    let run = runs[opener]
    guard run.canOpen, run.byte == closer.byte else { return false }
    switch run.byte {
    case UInt8(ascii: "*"), UInt8(ascii: "_"):
      // The rule of three: a run that can both open and close matches only if the sum of the
      // lengths isn't a multiple of 3, or both lengths are.
      if run.canClose || closer.canOpen {
        return closer.length % 3 == 0 || (run.length + closer.length) % 3 != 0
      }
      return true
    default: return run.length == closer.length
    }
  }

  /// Creates a span from two runs. Returns the next closing run to match.
  private mutating func pair(_ opener: Int, _ closer: Int) -> Int {
    while runs[closer].previous != opener { remove(runs[closer].previous) }
    let kind: InlineScan.Span.Kind
    let width: Int
    switch runs[opener].byte {
    case UInt8(ascii: "*"), UInt8(ascii: "_"):
      width = min(runs[opener].range.count, runs[closer].range.count) >= 2 ? 2 : 1
      kind = width == 2 ? .strong : .emphasis
    case UInt8(ascii: "~"):
      width = runs[opener].length
      kind = .strikethrough
    default:
      width = runs[opener].length
      kind = .mark
    }
    let open = runs[opener].range.suffix(width)
    let close = runs[closer].range.prefix(width)
    scan.spans.append(InlineScan.Span(kind: kind, open: open, close: close))
    runs[opener].range.removeLast(width)
    runs[closer].range.removeFirst(width)
    if runs[opener].range.isEmpty { remove(opener) }
    guard runs[closer].range.isEmpty else { return closer }
    let next = runs[closer].next
    remove(closer)
    return next
  }

  private mutating func remove(_ index: Int) {
    let run = runs[index]
    if run.previous >= 0 { runs[run.previous].next = run.next }
    if run.next >= 0 { runs[run.next].previous = run.previous } else { lastRun = run.previous }
  }
}

extension Range<Int> {
  fileprivate mutating func removeLast(_ count: Int) { self = lowerBound..<upperBound - count }
  fileprivate mutating func removeFirst(_ count: Int) { self = lowerBound + count..<upperBound }
}
