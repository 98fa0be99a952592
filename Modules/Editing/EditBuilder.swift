package import MarkdownParse
package import Model

/// Formats a document: says which bytes of its source to change so that a range of the rendered
/// text gets or loses a style, and nothing else changes.
///
/// ```swift
/// let builder = EditBuilder(ParsedDocument(parsing: MarkdownSource("a quick fox")))
/// let change = try builder.wrap(.strong, TextRange(utf16: 2..<7))  // a **quick** fox
/// ```
///
/// Every change has been applied, parsed again and compared before it is returned: the rendered text
/// is the same, unit by unit; the range looks as asked; all else looks as before. What Markdown
/// cannot say is an error, never a guess.
///
/// - Ranges are UTF-16 units of the rendered text. One that divides a character as people see it is
///   widened to the whole of it.
/// - White space at the ends of the range, and where one style meets another, goes without the
///   style: delimiters cannot stand beside it. So do brackets, quotation marks and other punctuation
///   at the ends where letters stand beyond them without a blank (`这是「**重要**」的`): there delimiters
///   outside would neither open nor close.
/// - A range over several blocks is formatted in each of them, or, on an error, in none.
/// - Cost: O(document) for each attempt at writing it; one attempt is the rule.
package struct EditBuilder: Sendable {
  /// What is formatted.
  package let document: ParsedDocument

  /// Formats a document as it stands.
  package init(_ document: ParsedDocument) { self.document = document }

  // MARK: - Styles

  /// How much of a range has a style, white space aside.
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

  /// Gives a range a style. No edits where all of it already has it.
  package func wrap(_ style: InlineStyle, _ range: TextRange) throws(FormattingError)
    -> SourceChange
  {
    try format(style, range, isOn: true)
  }

  /// Takes a style from a range; what of a styled passage lies outside keeps it. No edits where
  /// nothing has it.
  package func unwrap(_ style: InlineStyle, _ range: TextRange) throws(FormattingError)
    -> SourceChange
  {
    try format(style, range, isOn: false)
  }

  /// Takes a style from a range that has it throughout, or as far as Markdown can say it, and gives
  /// it to any other.
  package func toggle(_ style: InlineStyle, _ range: TextRange) throws(FormattingError)
    -> SourceChange
  {
    let state = try state(of: style, in: range)
    if state == .all { return try unwrap(style, range) }
    let change = try wrap(style, range)
    return state == .some && change.edits.isEmpty ? try unwrap(style, range) : change
  }

  private func format(_ style: InlineStyle, _ range: TextRange, isOn: Bool)
    throws(FormattingError) -> SourceChange
  {
    let range = try widened(range)
    if isOn, !style.isKnown(to: document.options) {
      throw .inexpressible(.style(style), .dialect, range)
    }
    var plans: [LeafPlan] = []
    for index in document.leaves(in: range) {
      let block = document.blocks[index]
      guard !block.isCode else {
        guard isOn else { continue }
        throw .inexpressible(.style(style), .codeBlock, block.text.clamped(to: range))
      }
      if let plan = try StylePlanner(document, index, style, range, isOn: isOn).plan() {
        plans.append(plan)
      }
    }
    if plans.isEmpty, document.text.utf16[range.utf16].allSatisfy(\.isSpaceUnit) {
      throw .nothingSelected
    }
    return try change(by: plans, .style(style), range)
  }

  // MARK: - Ranges

  /// The leaf blocks that a range touches; an error when there is none.
  func touchedLeaves(_ range: TextRange) throws(FormattingError) -> [Int] {
    let leaves = document.leaves(in: try widened(range))
    if leaves.isEmpty { throw .nothingSelected }
    return leaves
  }

  /// The range grown so that it divides no grapheme; an error when there is nothing in it.
  func widened(_ range: TextRange) throws(FormattingError) -> TextRange {
    let text = document.text.utf16
    guard range.utf16.upperBound <= text.count else { throw .outOfBounds }
    guard !range.isEmpty else { throw .nothingSelected }
    let start = Graphemes.border(at: range.utf16.lowerBound, orBefore: text)
    return TextRange(utf16: start..<Graphemes.border(at: range.utf16.upperBound, orAfter: text))
  }

  // MARK: - Trying

  /// The first way of each plan that the parser reads as expected.
  func change(by plans: [any ChangePlan], _ wish: FormattingError.Request, _ range: TextRange)
    throws(FormattingError) -> SourceChange
  {
    guard !plans.isEmpty else { return SourceChange(edits: [], document: document) }
    var plans = plans
    var ways = [Int](repeating: 0, count: plans.count)
    var edits: [[SourceEdit]] = []
    for index in plans.indices { edits.append(plans[index].edits(way: 0) ?? []) }
    while true {
      let all = edits.flatMap(\.self)
      let result = parsed(after: all)
      let failing = FormattingCheck(document, result).failures(of: plans)
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
          throw .inexpressible(wish, .surroundings, block.text.clamped(to: range))
        }
        edits[index] = next
      }
    }
  }

  /// The document after some edits.
  func parsed(after edits: [SourceEdit]) -> ParsedDocument {
    ParsedDocument(
      parsing: MarkdownSource(edits.applied(to: document.source.bytes)), options: document.options)
  }
}

extension Block {
  /// Whether the block's text is code.
  var isCode: Bool { if case .codeBlock = kind { true } else { false } }
}

extension TextRange {
  /// The part inside another range that it overlaps.
  func clamped(to other: TextRange) -> TextRange {
    TextRange(utf16: utf16.clamped(to: other.utf16))
  }
}
