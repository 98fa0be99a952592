import MarkdownParse
import Model

/// Plans how to set or remove a style in one leaf block.
struct StylePlanner {
  private let document: ParsedDocument
  private let leaf: Leaf
  private let style: InlineStyle
  private let range: TextRange
  private let isOn: Bool
  private let before: [Bool]
  /// The runs of pieces that have the style before the change.
  private let oldRuns: [Range<Int>]

  init(
    _ document: ParsedDocument, _ block: Int, _ style: InlineStyle, _ range: TextRange, isOn: Bool
  ) {
    self.document = document
    self.style = style
    self.isOn = isOn
    self.range = document.blocks[block].text.clamped(to: range)
    leaf = Leaf(block, of: document)
    before = leaf.coverage(.style(style))
    oldRuns = before.runs
  }

  /// Returns the ways to write the change; nil if nothing changes.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` for the reasons that the checks below
  ///   describe.
  func plan() throws(FormattingError) -> LeafPlan? {
    let touched = leaf.pieces(in: range.utf16)
    guard !touched.isEmpty else { return nil }
    // Spaces between styled words may lack the style. They alone are no reason for a change.
    let words = touched.filter { !leaf.pieces[$0].isSpace && !leaf.pieces[$0].isSilent }
    if isOn, !words.isEmpty, words.allSatisfy({ before[$0] }) { return nil }
    var wanted = before
    for index in touched { wanted[index] = isOn }
    for run in wanted.runs {
      let trimmed = leaf.trimmed(run, keeping: oldRuns)
      for index in run where !trimmed.contains(index) { wanted[index] = false }
    }
    if style == .code, !leaf.isHTML { dropUncodable(&wanted) }
    if !isOn { try checkWholes(touched) }
    guard wanted != before else { return nil }
    try check(touched)
    try checkTags(wanted)
    return plan(for: wanted) {
      guard isOn, style != .code, touched.contains(where: { !isPunctuation($0) }) else {
        return nil
      }
      let inside = withoutPunctuation(wanted)
      return inside == wanted ? nil : plan(for: inside)
    }
  }

  private func plan(for wanted: [Bool], fallback: @escaping () -> LeafPlan? = { nil }) -> LeafPlan {
    let unchanged = Set(oldRuns)
    let runs = wanted.runs.filter { !unchanged.contains($0) }
    let arrangements =
      style == .code && !leaf.isHTML
      ? codeArrangements(wanted, changed: runs) : styleArrangements(wanted, changed: runs)
    return LeafPlan(
      leaf,
      leaf.expectation(
        expected(wanted), document, kept: leaf.spans.filter { $0.kind != .style(style) }),
      arrangements, source: document.source.bytes, fallback: fallback)
  }

  /// Returns the requested pieces without punctuation at the ends of new runs. Delimiters inside
  /// the punctuation have letters on their inner side, so they open and close.
  private func withoutPunctuation(_ wanted: [Bool]) -> [Bool] {
    var result = wanted
    for run in wanted.runs where !oldRuns.contains(run) {
      guard let first = run.first(where: { before[$0] || !isPunctuation($0) }),
        let last = run.last(where: { before[$0] || !isPunctuation($0) })
      else { continue }
      for index in run where index < first || index > last { result[index] = false }
    }
    return result
  }

  private func isPunctuation(_ index: Int) -> Bool {
    let piece = leaf.pieces[index]
    if piece.isSpace { return true }
    if case .whole = piece.kind { return false }
    return document.text.substring(TextRange(utf16: piece.text)).unicodeScalars.allSatisfy {
      switch $0.properties.generalCategory {
      case .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .otherPunctuation:
        true
      default: false
      }
    }
  }

  /// Returns the expected style of each unit.
  private func expected(_ wanted: [Bool]) -> [CharacterStyle] {
    var styles = document.characterStyles(ofBlock: leaf.block)
    let start = document.blocks[leaf.block].text.utf16.lowerBound
    for (index, piece) in leaf.pieces.enumerated() where wanted[index] != before[index] {
      for unit in piece.text {
        if wanted[index] {
          styles[unit - start].style.insert(style.textStyle)
        } else {
          styles[unit - start].style.remove(style.textStyle)
        }
      }
    }
    return styles
  }

  // MARK: - Refusals

  /// Checks that the change neither divides an indivisible piece or a code span, nor puts code
  /// around a piece that code can't contain.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` if it does.
  private func check(_ touched: Range<Int>) throws(FormattingError) {
    for index in touched {
      let piece = leaf.pieces[index]
      guard case .whole(let obstacle) = piece.kind,
        style == .code && isOn || !piece.text.isInside(range.utf16)
      else { continue }
      throw .inexpressible(.style(style), obstacle, TextRange(utf16: piece.text))
    }
    guard style != .code, !leaf.isHTML else { return }
    for span in leaf.spans where span.isCode {
      guard span.pieces.overlaps(touched), !span.pieces.isInside(touched) else { continue }
      throw .inexpressible(.style(style), .codeSpan, leaf.text(of: span.pieces))
    }
  }

  /// Checks that the change neither removes tags that express more than the style, such as
  /// `<summary>` and `<kbd>`, nor encloses a term's tag in other tags.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` if it does.
  private func checkTags(_ wanted: [Bool]) throws(FormattingError) {
    let changed = wanted.runs.filter { !oldRuns.contains($0) }
    let stays = Set(kept(changed, wanted).map(\.pieces))
    for span in leaf.spans {
      let isLost = span.kind == .style(style) && !stays.contains(span.pieces) && !span.isPlain
      let isInside =
        span.isTerm && changed.contains { span.pieces.isInside($0) && span.pieces != $0 }
      if isLost || isInside {
        throw .inexpressible(.style(style), .html, leaf.text(of: span.pieces))
      }
    }
  }

  /// Checks that the change doesn't remove a style inside an indivisible piece.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` if it does.
  private func checkWholes(_ touched: Range<Int>) throws(FormattingError) {
    let styles = document.characterStyles(ofBlock: leaf.block)
    let start = document.blocks[leaf.block].text.utf16.lowerBound
    for index in touched where !before[index] {
      let piece = leaf.pieces[index]
      guard case .whole(let obstacle) = piece.kind,
        piece.text.clamped(to: range.utf16).contains(where: {
          styles[$0 - start].style.contains(style.textStyle)
        })
      else { continue }
      throw .inexpressible(.style(style), obstacle, TextRange(utf16: piece.text))
    }
  }

  // MARK: - Emphasis and similar styles

  private func styleArrangements(_ wanted: [Bool], changed: [Range<Int>]) -> [LeafPlan.Arrangement]
  {
    let kept = kept(changed, wanted)
    let stays = Set(kept.filter { $0.kind == .style(style) }.map(\.pieces))
    let dropped = leaf.spans.filter { $0.kind == .style(style) && !stays.contains($0.pieces) }
    let plain = decoded(at: dropped)
    var result: [LeafPlan.Arrangement] = []
    func add(_ spans: [LeafSpan]?) {
      guard let spans else { return }
      if !plain.isEmpty { result.append(LeafPlan.Arrangement(spans: spans, replaced: plain)) }
      result.append(LeafPlan.Arrangement(spans: spans))
    }
    let split = leaf.splitting(changed, at: kept, keeping: oldRuns).map { newSpan($0, dropped) }
    // A term's tag must be directly inside its list or fold.
    let isInTerm = kept.contains { span in
      span.isTerm && split.contains { $0.pieces == span.pieces }
    }
    if !isInTerm { add(LeafSpan.nested(kept, split, newOutside: true)) }
    add(LeafSpan.nested(kept, split, newOutside: false))
    if isInTerm { return result }
    let whole = changed.map { newSpan($0, dropped) }
    let others = leaf.splitting(kept, at: changed)
    // Don't divide a tag that expresses more than a style.
    let fixed = Set(kept.filter { !$0.isPlain && !$0.isLink }.map(\.pieces))
    if let others, fixed.isSubset(of: others.map(\.pieces)) {
      add(LeafSpan.nested(others, whole, newOutside: true))
    }
    // The delimiters of adjacent spans may conflict with the new ones.
    let free = kept.map { $0.withOtherForms(ifTouching: split.map(\.pieces)) }
    if zip(free, kept).contains(where: { $0.forms.count > $1.forms.count }) {
      add(LeafSpan.nested(free, split, newOutside: true))
      add(LeafSpan.nested(free, split, newOutside: false))
    }
    return result
  }

  /// Returns the unchanged spans: those of other styles, and those in unchanged runs.
  private func kept(_ changed: [Range<Int>], _ wanted: [Bool]) -> [LeafSpan] {
    leaf.spans.filter { span in
      guard span.kind == .style(style) else { return true }
      return wanted[span.pieces.lowerBound] && !changed.contains { $0.overlaps(span.pieces) }
    }
  }

  private func newSpan(_ pieces: Range<Int>, _ dropped: [LeafSpan]) -> LeafSpan {
    let old = dropped.first { $0.pieces.overlaps(pieces) }?.forms ?? []
    let forms =
      leaf.isHTML ? [style.tags] : style.delimiters.map { LeafSpan.Form(open: $0, close: $0) }
    return LeafSpan(
      kind: .style(style), pieces: pieces, forms: old + forms.filter { !old.contains($0) },
      isNew: true)
  }

  /// Returns the decoded letters, by the index of their pieces, that were written as character
  /// references only because of delimiters that are now removed.
  private func decoded(at dropped: [LeafSpan]) -> [Int: [UInt8]] {
    var result: [Int: [UInt8]] = [:]
    for gap in dropped.flatMap({ [$0.pieces.lowerBound, $0.pieces.upperBound] }) {
      for index in [gap - 1, gap] where leaf.pieces.indices.contains(index) {
        let piece = leaf.pieces[index]
        guard case .reference = piece.kind,
          document.source.bytes[piece.source].starts(with: "&#x".utf8)
        else { continue }
        let text = document.text.substring(TextRange(utf16: piece.text))
        guard let character = text.first, character.isLetter || character.isNumber else { continue }
        result[index] = Array(text.utf8)
      }
    }
    return result
  }

  // MARK: - Code

  /// Removes pieces that code can't contain: hard breaks and pieces that render nothing.
  private func dropUncodable(_ wanted: inout [Bool]) {
    for (index, piece) in leaf.pieces.enumerated() where !before[index] {
      if piece.isHardBreak || piece.isSilent { wanted[index] = false }
    }
    for run in wanted.runs {
      let trimmed = leaf.trimmed(run, keeping: oldRuns)
      for index in run where !trimmed.contains(index) { wanted[index] = false }
    }
  }

  private func codeArrangements(_ wanted: [Bool], changed: [Range<Int>]) -> [LeafPlan.Arrangement] {
    let kept = kept(changed, wanted)
    var replaced: [Int: [UInt8]] = [:]
    var code: [LeafSpan] = []
    // Code can't contain other spans, so divide it at their borders.
    let borders = Set(kept.flatMap { [$0.pieces.lowerBound, $0.pieces.upperBound] })
    for run in changed {
      for part in run.divided(at: borders) {
        let part = leaf.trimmed(part, keeping: oldRuns)
        guard !part.isEmpty else { continue }
        var content: [UInt8] = []
        for index in part {
          let bytes = codeBytes(of: leaf.pieces[index])
          replaced[index] = bytes
          content += bytes
        }
        let fence = CodeFence(around: content)
        code.append(
          LeafSpan(
            kind: .style(.code), pieces: part,
            forms: [LeafSpan.Form(open: fence.open, close: fence.close)],
            isNew: true))
      }
    }
    let spans = LeafSpan.nested(kept, code, newOutside: false)
    let escaper = TextEscaper(document, leaf)
    let plain = leaf.pieces.indices.filter { before[$0] && !wanted[$0] }
    return (plain.isEmpty ? [false] : [false, true]).map { all in
      var replaced = replaced
      for index in plain { replaced[index] = escaper.plain(leaf.pieces[index], all: all) }
      return LeafPlan.Arrangement(spans: spans, replaced: replaced)
    }
  }

  /// Returns the bytes of a piece inside a code span.
  private func codeBytes(of piece: LeafPiece) -> [UInt8] {
    let source = document.source.bytes[piece.source]
    if case .lineBreak = piece.kind {
      return Array(source.drop { $0 != 10 && $0 != 13 })
    }
    let text = Array(document.text.substring(TextRange(utf16: piece.text)).utf8)
    return leaf.isCell && text.elementsEqual("|".utf8) ? Array("\\|".utf8) : text
  }
}
