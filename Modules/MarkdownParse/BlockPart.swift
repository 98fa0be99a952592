package import Model

/// A part of a block that is no text: a marker, or what a marker says. Together with the delimiters
/// in `Inline` and the ranges in `Link` this is all that an editor needs to change the markup alone.
package struct BlockPart: Hashable, Sendable {
  private var stored: PackedRange
  @Packed private var storedBlock: Int
  /// What it is.
  package let kind: Kind

  init(_ kind: Kind, of block: Int, source: Range<Int>) {
    (self.kind, storedBlock, stored) = (kind, block, PackedRange(source))
  }

  /// The block, an index into `ParsedDocument.blocks`.
  package var block: Int { storedBlock }
  /// Its bytes, without the blanks around; always within one line, but for a definition's label
  /// and title.
  package var source: SourceRange { SourceRange(bytes: stored.range) }

  /// The kinds of part.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The `>` of a block quote, one on each line that has it.
    case quoteMarker
    /// The bullet, or the number with its `.` or `)`, of a list item.
    case listMarker
    /// The box of a task, `[ ]` or `[x]`; of the list item.
    case taskMarker
    /// The `#`s before a heading.
    case headingMarker
    /// The `#`s after a heading.
    case headingClosing
    /// The attributes behind a heading, with their braces: `{#name .class}`.
    case headingAttributes
    /// The line of `=` or `-` under a heading.
    case headingUnderline
    /// The fence before code.
    case fence
    /// The fence after code; there is none when the code runs to its container's end.
    case closingFence
    /// What stands after the opening fence.
    case infoString
    /// A horizontal rule.
    case thematicBreak
    /// The second line of a table, `|--|:-:|`.
    case delimiterRow
    /// The `[^label]:` before a footnote's text.
    case footnoteMarker
    /// A link reference definition's label, without the brackets.
    case definitionLabel
    /// A link reference definition's destination, without `<` and `>`.
    case definitionDestination
    /// A link reference definition's title, with its quotes.
    case definitionTitle
    /// What stands around a callout's type and title in the line of its label.
    case calloutMarker
    /// What begins an admonition: `:::`, `!!!`, with all of the line that is no label.
    case admonitionMarker
    /// The fence after an admonition.
    case admonitionClosing
    /// The `:` before a description.
    case descriptionMarker
  }
}

extension ParsedDocument {
  /// The parts of one block, in the order of the source. O(log parts + parts inside the block).
  package func parts(of block: Int) -> [BlockPart] {
    let source = blocks[block].source.bytes
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].source.bytes.lowerBound < source.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return parts[low...].prefix { $0.source.bytes.lowerBound < source.upperBound }
      .filter { $0.block == block }
  }
}
