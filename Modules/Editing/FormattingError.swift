package import Model

/// The reason why a formatting command changes nothing.
package enum FormattingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The change that a command requests.
  package enum Request: Hashable, Sendable {
    /// Setting or removing an inline style.
    case style(InlineStyle)
    /// Setting or removing a link.
    case link
    /// Making paragraphs headings of a level, or ordinary text if it is nil.
    case heading(Int?)
    /// Adding or removing a block quote.
    case quote
  }

  /// The construct that prevents the change.
  package enum Obstacle: Hashable, Sendable {
    /// A code span, which can't contain another style and would have to be divided.
    case codeSpan
    case codeBlock
    case mathematics
    /// An image's description.
    case image
    /// A bare address, which is a link without link syntax.
    case address
    /// A footnote reference.
    case footnote
    /// HTML, in which Markdown's markup is literal text.
    case html
    case tableCell
    case calloutLabel
    /// A term of a definition list.
    case descriptionTerm
    /// A list item with a checkbox.
    case taskItem
    /// A line break inside the text.
    case lineBreak
    /// The dialect, which lacks the requested syntax.
    case dialect
    /// The length of the paragraph, all of which would have to be divided into pieces.
    case length
    /// The surrounding characters: every way to write the change would be parsed as something else.
    case surroundings
  }

  /// The range contains no characters, or only white space.
  case nothingSelected
  /// The range ends beyond the text.
  case outOfBounds
  /// A heading level outside 1 … 6.
  case noSuchLevel(Int)
  /// A link's destination or title contains a line end or a control character.
  case badDestination(String)
  /// Markdown can't express the request at the given range, because of the obstacle.
  case inexpressible(Request, Obstacle, TextRange)

  /// The error message, one line without a full stop.
  package var description: String {
    switch self {
    case .nothingSelected: "there is nothing to format in the selection"
    case .outOfBounds: "the selection goes beyond the text"
    case .noSuchLevel(let level): "there is no heading of level \(level): levels are 1 to 6"
    case .badDestination(let text):
      "'\(text)' cannot be part of a link: it contains a control character"
    case .inexpressible(let request, let obstacle, let range):
      "Markdown cannot express \(request.name) \(obstacle.name) (\(range))"
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
    case .length: "in a paragraph of more than \(Leaf.longest) characters"
    case .surroundings: "here: the adjacent characters would change how it is parsed"
    }
  }
}
