import MarkdownParse
package import Model

extension EditBuilder {
  /// Makes a range a link. A link that is there already leads where the new one does as far as the
  /// range goes, and where it did beyond. Each block has a link of its own.
  public func link(_ range: TextRange, to destination: String, title: String? = nil)
    throws(FormattingError) -> SourceChange
  {
    for text in [destination, title ?? ""]
    where text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
      throw .badDestination(text)
    }
    return try relink(range, CharacterStyle.Target(destination: destination, title: title))
  }

  /// Takes the links from a range; what of a link lies outside stays one. An address that is a link
  /// by itself becomes plain text.
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
      if let plan = try LinkPlanner(document, index, range, target).plan() { plans.append(plan) }
    }
    return try change(by: plans, .link, range)
  }
}
