package import MarkdownParse

/// An inline style that a formatting command can set or remove.
package enum InlineStyle: Hashable, Sendable, CaseIterable {
  /// Strong emphasis, rendered bold.
  case strong
  /// Emphasis, rendered in italics.
  case emphasis
  /// Struck-through text.
  case strikethrough
  /// Text marked by the author, with `==` in Markdown.
  case mark
  /// A code span.
  case code

  /// The style in the form that `ParsedDocument.styleRuns(in:)` reports.
  package var textStyle: TextStyle {
    switch self {
    case .strong: .strong
    case .emphasis: .emphasis
    case .strikethrough: .strikethrough
    case .mark: .mark
    case .code: .code
    }
  }

  /// The name for messages and menus.
  package var name: String {
    switch self {
    case .strong: "bold"
    case .emphasis: "italics"
    case .strikethrough: "strikethrough"
    case .mark: "marking"
    case .code: "code"
    }
  }

  /// Returns whether the dialect has syntax for the style.
  func isKnown(to options: MarkdownOptions) -> Bool {
    switch self {
    case .strong, .emphasis, .code: true
    case .strikethrough: options.strikethrough
    case .mark: options.mark
    }
  }

  /// The name of the HTML element for the style.
  private var element: String {
    switch self {
    case .strong: "strong"
    case .emphasis: "em"
    case .strikethrough: "del"
    case .mark: "mark"
    case .code: "code"
    }
  }

  /// The HTML tags for the style.
  var tags: LeafSpan.Form {
    LeafSpan.Form(open: Array("<\(element)>".utf8), close: Array("</\(element)>".utf8))
  }

  /// The Markdown delimiters for the style, the usual one first. Empty for code, whose delimiter
  /// depends on the text.
  var delimiters: [[UInt8]] {
    switch self {
    case .strong: [Array("**".utf8), Array("__".utf8)]
    case .emphasis: [Array("*".utf8), Array("_".utf8)]
    case .strikethrough: [Array("~~".utf8), Array("~".utf8)]
    case .mark: [Array("==".utf8)]
    case .code: []
    }
  }
}

/// How much of a range has a style. Menus show it, and toggling depends on it.
package enum StyleState: Hashable, Sendable {
  /// No character has the style.
  case none
  /// Some characters have the style.
  case some
  /// Every character that isn't white space has the style.
  case all
}
