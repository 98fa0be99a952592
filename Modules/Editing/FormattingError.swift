package import Model

/// Why a formatting command changes nothing.
package enum FormattingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a command asks for.
  package enum Request: Hashable, Sendable {
    /// A style of words, or its end.
    case style(InlineStyle)
    /// A link, or its end.
    case link
    /// A heading of a level; nil for ordinary text.
    case heading(Int?)
    /// A block quote, or its end.
    case quote
  }

  /// What stands in the way.
  package enum Obstacle: Hashable, Sendable {
    /// A code span, which holds no other style and would be divided.
    case codeSpan
    /// A code block.
    case codeBlock
    /// Mathematics.
    case mathematics
    /// An image's description.
    case image
    /// An address that is a link by itself.
    case address
    /// A footnote's mark.
    case footnote
    /// HTML, in which Markdown's markup means nothing.
    case html
    /// A table's cell.
    case tableCell
    /// The label of a callout.
    case calloutLabel
    /// A term of a definition list.
    case descriptionTerm
    /// A list item with a checkbox.
    case taskItem
    /// A line break inside the text.
    case lineBreak
    /// The dialect, which does not have it.
    case dialect
    /// The characters around: every way to write it means something else.
    case surroundings
  }

  /// The range holds no character of the text, or nothing but white space.
  case nothingSelected
  /// The range goes beyond the text.
  case outOfBounds
  /// A heading's level is not 1 … 6.
  case noSuchLevel(Int)
  /// A link's destination or title holds a line end or a control character.
  case badDestination(String)
  /// Markdown has no way to say it; the range is where.
  case inexpressible(Request, Obstacle, TextRange)

  /// One line.
  package var description: String {
    switch self {
    case .nothingSelected: "there is nothing to format in the selection"
    case .outOfBounds: "the selection goes beyond the text"
    case .noSuchLevel(let level): "there is no heading of level \(level): levels are 1 to 6"
    case .badDestination(let text):
      "'\(text)' can be no part of a link: it holds a control character"
    case .inexpressible(let wish, let obstacle, let range):
      "Markdown cannot express \(wish.name) \(obstacle.name) (\(range))"
    }
  }
}

extension FormattingError.Request {
  fileprivate var name: String {
    switch self {
    case .style(let style): style.name
    case .link: "a link"
    case .heading(let level): level == nil ? "ordinary text" : "a heading"
    case .quote: "this quote"
    }
  }
}

extension FormattingError.Obstacle {
  fileprivate var name: String {
    switch self {
    case .codeSpan: "for a part of a code span"
    case .codeBlock: "inside a code block"
    case .mathematics: "inside mathematics"
    case .image: "inside an image's description"
    case .address: "inside an address"
    case .footnote: "inside a footnote's mark"
    case .html: "inside HTML"
    case .tableCell: "inside a table"
    case .calloutLabel: "in the label of a callout"
    case .descriptionTerm: "in a term of a definition list"
    case .taskItem: "inside a task"
    case .lineBreak: "across a line break"
    case .dialect: "in this dialect"
    case .surroundings: "here: the characters around would give it another meaning"
    }
  }
}
