package import Model

/// A part of a block that isn't rendered text: a marker, or words in it, such as an info string.
///
/// Together with the delimiters in `Inline` and the ranges in `Link`, the parts suffice to change
/// markup without touching the text.
package struct BlockPart: Hashable, Sendable {
  private var stored: PackedRange
  @Packed private var storedBlock: Int
  /// The kind of the part.
  package let kind: Kind

  init(_ kind: Kind, of block: Int, source: Range<Int>) {
    (self.kind, storedBlock, stored) = (kind, block, PackedRange(source))
  }

  /// The index of the block in `ParsedDocument.blocks`.
  package var block: Int { storedBlock }
  /// The bytes of the part, without surrounding spaces. They are on one line, except for the label
  /// and title of a definition.
  package var source: SourceRange { SourceRange(bytes: stored.range) }

  /// The kinds of parts.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The `>` of a block quote, once for each line that has it.
    case quoteMarker
    /// The bullet of a list item, or its number with the `.` or `)`.
    case listMarker
    /// The checkbox of a task, `[ ]` or `[x]`. It belongs to the list item.
    case taskMarker
    /// The `#`s before a heading.
    case headingMarker
    /// The `#`s after a heading.
    case headingClosing
    /// The attributes after a heading, with their braces: `{#name .class}`.
    case headingAttributes
    /// The line of `=` or `-` below a heading.
    case headingUnderline
    /// The opening fence of a code block.
    case fence
    /// The closing fence of a code block. It is missing if the code ends with its container.
    case closingFence
    /// The info string after an opening fence.
    case infoString
    /// A thematic break.
    case thematicBreak
    /// The second line of a table, `|--|:-:|`.
    case delimiterRow
    /// The `[^label]:` before a footnote's text.
    case footnoteMarker
    /// The label of a link reference definition, without the brackets.
    case definitionLabel
    /// The destination of a link reference definition, without `<` and `>`.
    case definitionDestination
    /// The title of a link reference definition, with its quotes.
    case definitionTitle
    /// The markup around a callout's type and title on the line of its label.
    case calloutMarker
    /// The start of an admonition, such as `:::` or `!!!`, with the rest of the line except the
    /// label.
    case admonitionMarker
    /// The closing fence of an admonition.
    case admonitionClosing
    /// The `:` before a description.
    case descriptionMarker
  }
}

extension ParsedDocument {
  /// Returns the parts of one block in the order of the source. O(log parts + parts inside the
  /// block).
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
