package import MarkdownParse
package import Model

/// Formats a document: computes the bytes of its source to change so that a range of the rendered
/// text gains or loses a style, and nothing else changes.
///
/// ```swift
/// let builder = EditBuilder(ParsedDocument(parsing: MarkdownSource("a quick fox")))
/// let change = try builder.wrap(.strong, TextRange(utf16: 2..<7))  // a **quick** fox
/// ```
///
/// Every change is applied, parsed again and compared before it is returned. The rendered text must
/// be equal unit by unit; the range must have the requested style, and all other text its old
/// style. If Markdown can't express the result, the function throws ``FormattingError``; it never
/// guesses.
///
/// - Ranges are UTF-16 units of the rendered text. A range that divides a grapheme is widened to
///   include all of it.
/// - White space at the ends of the range, and between two styles, doesn't get the style, because a
///   delimiter can't be written next to it. Punctuation at the ends doesn't get it either if a
///   letter follows outside without a space (`这是「**重要**」的`), because delimiters outside the
///   punctuation would neither open nor close.
/// - A range over several blocks is formatted in each of them or, on an error, in none.
/// - Cost: O(document) for each attempt. Usually one attempt is enough.
package struct EditBuilder: Sendable {
  /// The document to format. It is never changed; a change contains the new document.
  package let document: ParsedDocument

  /// Whether changes are returned unchecked, in their preferred form.
  let isPreparing: Bool

  /// Creates a builder for a document.
  package init(_ document: ParsedDocument) { self.init(document, isPreparing: false) }

  /// Creates a builder. If `isPreparing` is true, a change contains the document before it, and a
  /// description of the expected document after it.
  init(_ document: ParsedDocument, isPreparing: Bool) {
    (self.document, self.isPreparing) = (document, isPreparing)
  }

  // MARK: - Styles

  /// Returns how much of a range has a style, ignoring white space.
  ///
  /// - Throws: ``FormattingError/nothingSelected`` if the range is empty,
  ///   ``FormattingError/outOfBounds`` if it ends beyond the text.
  public func state(of style: InlineStyle, in range: TextRange) throws(FormattingError)
    -> StyleState
  {
    let range = try widened(range)
    var has = (with: false, without: false)
    for index in document.leaves(in: range) {
      let block = document.blocks[index]
      guard !block.isCode else {
        if block.text.overlaps(range) { has.without = true }
        continue
      }
      for run in document.styleRuns(in: block) where run.text.overlaps(range) {
        let part = run.text.utf16.clamped(to: range.utf16)
        guard document.text.utf16[part].contains(where: { !$0.isSpaceUnit }) else { continue }
        if run.style.contains(style.textStyle) { has.with = true } else { has.without = true }
      }
    }
    return has.with ? (has.without ? .some : .all) : .none
  }

  /// Adds a style to a range. The change has no edits if the whole range already has the style.
  ///
  /// - Throws: ``FormattingError/nothingSelected`` for a range without text,
  ///   ``FormattingError/outOfBounds`` if it ends beyond the text,
  ///   ``FormattingError/inexpressible(_:_:_:)`` if Markdown or the dialect can't express the
  ///   result.
  package func wrap(_ style: InlineStyle, _ range: TextRange) throws(FormattingError)
    -> SourceChange
  {
    try format(style, range, isOn: true)
  }

  /// Adds a style to the blocks of a range for which Markdown can express it.
  ///
  /// - Returns: the change, and the reasons why the other blocks are left out, in the order of the
  ///   text.
  /// - Throws: the errors of `wrap(_:_:)`, if Markdown can express it for no block.
  package func wrapWherePossible(_ style: InlineStyle, _ range: TextRange)
    throws(FormattingError) -> (change: SourceChange, obstacles: [FormattingError])
  {
    var obstacles: [FormattingError]? = []
    let change = try format(style, range, isOn: true, leavingOut: &obstacles)
    return (change, obstacles ?? [])
  }

  /// Removes a style from a range. Styled text outside the range keeps the style. The change has no
  /// edits if no part of the range has the style.
  ///
  /// - Throws: the errors of `wrap(_:_:)`.
  package func unwrap(_ style: InlineStyle, _ range: TextRange) throws(FormattingError)
    -> SourceChange
  {
    try format(style, range, isOn: false)
  }

  /// Removes a style from a range if the range has it throughout, apart from parts for which
  /// Markdown can't express it. Otherwise adds the style to the whole range.
  ///
  /// - Throws: the errors of `wrap(_:_:)`.
  package func toggle(_ style: InlineStyle, _ range: TextRange) throws(FormattingError)
    -> SourceChange
  {
    let state = try state(of: style, in: range)
    if state == .all { return try unwrap(style, range) }
    let change = try wrap(style, range)
    return state == .some && change.edits.isEmpty ? try unwrap(style, range) : change
  }

  /// Returns whether `toggle(_:_:)` removes a style from a range.
  ///
  /// - Throws: the errors of `wrap(_:_:)`.
  package func removes(_ style: InlineStyle, _ range: TextRange) throws(FormattingError) -> Bool {
    switch try state(of: style, in: range) {
    case .all: true
    case .some: try wrap(style, range).edits.isEmpty
    case .none: false
    }
  }

  private func format(_ style: InlineStyle, _ range: TextRange, isOn: Bool)
    throws(FormattingError) -> SourceChange
  {
    var none: [FormattingError]?
    return try format(style, range, isOn: isOn, leavingOut: &none)
  }

  /// Adds or removes a style.
  ///
  /// - Parameter obstacles: if it isn't nil, receives the errors of the blocks for which Markdown
  ///   can't express the style, unless these are all blocks.
  private func format(
    _ style: InlineStyle, _ range: TextRange, isOn: Bool,
    leavingOut obstacles: inout [FormattingError]?
  ) throws(FormattingError) -> SourceChange {
    let range = try widened(range)
    if isOn, !style.isKnown(to: document.options) {
      throw .inexpressible(.style(style), .dialect, range)
    }
    var plans: [LeafPlan] = []
    for index in document.leaves(in: range) {
      do throws(FormattingError) {
        if let plan = try plan(style, index, range, isOn: isOn) { plans.append(plan) }
      } catch {
        guard obstacles?.append(error) != nil else { throw error }
      }
    }
    if plans.isEmpty, let obstacle = obstacles?.first { throw obstacle }
    if plans.isEmpty, document.text.utf16[range.utf16].allSatisfy(\.isSpaceUnit) {
      throw .nothingSelected
    }
    return try change(by: plans, .style(style), range)
  }

  /// Returns the plan for a leaf block; nil if nothing changes.
  private func plan(_ style: InlineStyle, _ index: Int, _ range: TextRange, isOn: Bool)
    throws(FormattingError) -> LeafPlan?
  {
    let block = document.blocks[index]
    guard !block.isCode else {
      guard isOn else { return nil }
      throw .inexpressible(.style(style), .codeBlock, block.text.clamped(to: range))
    }
    if block.text.count > Leaf.longest {
      throw .inexpressible(.style(style), .length, block.text.clamped(to: range))
    }
    return try StylePlanner(document, index, style, range, isOn: isOn).plan()
  }

  // MARK: - Ranges

  /// Returns the leaf blocks that a range touches.
  ///
  /// - Throws: ``FormattingError/nothingSelected`` if it touches none,
  ///   ``FormattingError/outOfBounds`` if it ends beyond the text.
  func touchedLeaves(_ range: TextRange) throws(FormattingError) -> [Int] {
    let leaves = document.leaves(in: try widened(range))
    if leaves.isEmpty { throw .nothingSelected }
    return leaves
  }

  /// Returns the range widened to whole graphemes.
  ///
  /// - Throws: ``FormattingError/nothingSelected`` if it is empty, ``FormattingError/outOfBounds``
  ///   if it ends beyond the text.
  func widened(_ range: TextRange) throws(FormattingError) -> TextRange {
    let text = document.text.utf16
    guard range.utf16.upperBound <= text.count else { throw .outOfBounds }
    guard !range.isEmpty else { throw .nothingSelected }
    let start = Graphemes.border(at: range.utf16.lowerBound, orBefore: text)
    return TextRange(utf16: start..<Graphemes.border(at: range.utf16.upperBound, orAfter: text))
  }

  // MARK: - Trying

  /// Returns the first combination of the plans' ways that parses as expected.
  ///
  /// - Throws: ``FormattingError/inexpressible(_:_:_:)`` if all ways of a plan fail.
  func change(by plans: [any ChangePlan], _ request: FormattingError.Request, _ range: TextRange)
    throws(FormattingError) -> SourceChange
  {
    guard !plans.isEmpty else { return SourceChange(edits: [], document: document) }
    var plans = plans
    var ways = [Int](repeating: 0, count: plans.count)
    var edits: [[SourceEdit]] = []
    for index in plans.indices { edits.append(plans[index].edits(way: 0) ?? []) }
    if isPreparing {
      return SourceChange(
        edits: edits.flatMap(\.self), document: document,
        expected: .blocks(ComparedDocument(document, text: []), plans.map(\.expected)))
    }
    let outline = ComparedDocument(document)
    while true {
      let all = edits.flatMap(\.self)
      let result = parsed(after: all)
      let failing = FormattingCheck(outline, result).failures(of: plans.map(\.expected))
      if failing.isEmpty { return SourceChange(edits: all, document: result) }
      for index in failing {
        ways[index] += 1
        guard let next = plans[index].edits(way: ways[index]) else {
          if let fallback = plans[index].fallback {
            plans[index] = fallback
            ways[index] = 0
            edits[index] = plans[index].edits(way: 0) ?? []
            continue
          }
          let block = document.blocks[plans[index].block]
          throw .inexpressible(request, .surroundings, block.text.clamped(to: range))
        }
        edits[index] = next
      }
    }
  }

  /// Returns the document that results from some edits, parsed with the same options.
  func parsed(after edits: [SourceEdit]) -> ParsedDocument {
    ParsedDocument(
      parsing: MarkdownSource(edits.applied(to: document.source.bytes)), options: document.options)
  }
}

extension Block {
  var isCode: Bool { if case .codeBlock = kind { true } else { false } }
}

extension TextRange {
  /// Returns the intersection with another range, which must overlap this one.
  func clamped(to other: TextRange) -> TextRange {
    TextRange(utf16: utf16.clamped(to: other.utf16))
  }
}
