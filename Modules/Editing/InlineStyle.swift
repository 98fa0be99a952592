package import MarkdownParse

/// A style of words that a formatting command can set or remove.
package enum InlineStyle: Hashable, Sendable, CaseIterable {
  /// Strong emphasis, shown bold.
  case strong
  /// Emphasis, shown in italics.
  case emphasis
  /// Struck text.
  case strikethrough
  /// Text marked by the author.
  case mark
  /// A code span.
  case code

  /// The style as `ParsedDocument.styleRuns(in:)` reports it.
  package var textStyle: TextStyle {
    switch self {
    case .strong: .strong
    case .emphasis: .emphasis
    case .strikethrough: .strikethrough
    case .mark: .mark
    case .code: .code
    }
  }

  /// What people call it.
  package var name: String {
    switch self {
    case .strong: "bold"
    case .emphasis: "italics"
    case .strikethrough: "strikethrough"
    case .mark: "marking"
    case .code: "code"
    }
  }

  /// Whether a dialect has the style.
  func isKnown(to options: MarkdownOptions) -> Bool {
    switch self {
    case .strong, .emphasis, .code: true
    case .strikethrough: options.strikethrough
    case .mark: options.mark
    }
  }

  /// The element that makes the style in HTML.
  private var element: String {
    switch self {
    case .strong: "strong"
    case .emphasis: "em"
    case .strikethrough: "del"
    case .mark: "mark"
    case .code: "code"
    }
  }

  /// The tags that make the style in HTML.
  var tags: LeafSpan.Form {
    LeafSpan.Form(open: Array("<\(element)>".utf8), close: Array("</\(element)>".utf8))
  }

  /// The delimiters that make the style, the usual one first; empty for code, whose delimiter
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

/// How much of a range has a style: what a menu shows and a toggle asks.
package enum StyleState: Hashable, Sendable {
  /// No part of it.
  case none
  /// A part of it.
  case some
  /// Every character that is not white space.
  case all
}
