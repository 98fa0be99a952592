import MarkdownParse
package import Model

extension EditBuilder {
  /// Makes a range a link. Each block in the range gets a separate link. Where the range overlaps
  /// an existing link, that part gets the new destination and the rest keeps the old one.
  ///
  /// - Throws:
  ///   - ``FormattingError/badDestination(_:)`` if the destination or the title contains a control
  ///     character
  ///   - ``FormattingError/nothingSelected`` if the range contains no text
  ///   - ``FormattingError/outOfBounds`` if the range ends beyond the text
  ///   - ``FormattingError/inexpressible(_:_:_:)`` if the range is in code or HTML, or Markdown
  ///     can't express the link.
  public func link(_ range: TextRange, to destination: String, title: String? = nil)
    throws(FormattingError) -> SourceChange
  {
    for text in [destination, title ?? ""]
    where text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
      throw .badDestination(text)
    }
    return try relink(range, CharacterStyle.Target(destination: destination, title: title))
  }

  /// Removes the links from a range. The part of a link outside the range stays a link. A bare
  /// address becomes plain text.
  ///
  /// - Throws: ``FormattingError/nothingSelected`` for a range without text,
  ///   ``FormattingError/outOfBounds`` if it ends beyond the text,
  ///   ``FormattingError/inexpressible(_:_:_:)`` if a link can't be divided there.
  package func unlink(_ range: TextRange) throws(FormattingError) -> SourceChange {
    try relink(range, nil)
  }

  private func relink(_ range: TextRange, _ target: CharacterStyle.Target?) throws(FormattingError)
    -> SourceChange
  {
    let range = try widened(range)
    guard document.text.utf16[range.utf16].contains(where: { !$0.isSpaceUnit }) else {
      throw .nothingSelected
    }
    var plans: [LeafPlan] = []
    for index in document.leaves(in: range) {
      let block = document.blocks[index]
      guard !block.isCode else {
        guard target != nil else { continue }
        throw .inexpressible(.link, .codeBlock, block.text.clamped(to: range))
      }
      guard !document.isHTML(index) else {
        throw .inexpressible(.link, .html, block.text.clamped(to: range))
      }
      if block.text.count > Leaf.longest {
        throw .inexpressible(.link, .length, block.text.clamped(to: range))
      }
      if let plan = try LinkPlanner(document, index, range, target).plan() { plans.append(plan) }
    }
    return try change(by: plans, .link, range)
  }
}
