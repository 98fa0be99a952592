/// The meaning of an HTML element for the rendered text, by its name.
enum HTMLElement: UInt8 {
  /// The tags render nothing, and their content is text.
  case other
  case strong, emphasis, strikethrough, mark, code, link
  case superscript, `subscript`
  case image, lineBreak
  /// The element is a separate block: `p`, `div`, `section` and the like.
  case block
  case heading1, heading2, heading3, heading4, heading5, heading6
  case bulletList, orderedList, listItem, quote
  case table, tableSection, row, cell, headerCell
  case rule
  /// Whitespace is preserved: `pre`, `textarea`.
  case preformatted
  /// A line that names the following content: `summary`, `dt`.
  case term
  /// The content isn't text: `script`, `style`, `title`.
  case hidden

  /// Finds the element with a name. Case is ignored.
  init(_ bytes: Bytes, _ name: Range<Int>) {
    var key: UInt64 = 0
    guard name.count <= 8 else {
      let isBlock =
        name.count == 10
        && (bytes.startsIgnoringCase(with: "figcaption", at: name.lowerBound))
      let isQuote =
        name.count == 10 && bytes.startsIgnoringCase(with: "blockquote", at: name.lowerBound)
      self = isQuote ? .quote : isBlock ? .block : .other
      return
    }
    for index in name { key = key << 8 | UInt64(bytes[index].lowercased) }
    self = Self.byName[key] ?? .other
  }

  /// The elements by their names. Up to eight letters of a name are packed into one number.
  private static let byName: [UInt64: HTMLElement] = {
    let names: [HTMLElement: String] = [
      .strong: "b strong", .emphasis: "i em cite var dfn", .strikethrough: "s del strike",
      .superscript: "sup", .subscript: "sub", .mark: "mark", .code: "code kbd samp tt", .link: "a",
      .image: "img", .lineBreak: "br",
      .block:
        "address article aside body caption center dd details dialog div dl fieldset figure footer "
        + "form head header hgroup html legend main nav noscript option optgroup p search section "
        + "select",
      .heading1: "h1", .heading2: "h2", .heading3: "h3", .heading4: "h4", .heading5: "h5",
      .heading6: "h6", .bulletList: "ul menu dir", .orderedList: "ol", .listItem: "li",
      .table: "table", .tableSection: "tbody thead tfoot colgroup col", .row: "tr", .cell: "td",
      .headerCell: "th", .rule: "hr", .preformatted: "pre textarea xmp listing",
      .term: "summary dt",
      .hidden: "script style title template",
    ]
    var table: [UInt64: HTMLElement] = [:]
    for (element, list) in names {
      for name in list.split(separator: " ") {
        table[name.utf8.reduce(0) { $0 << 8 | UInt64($1) }] = element
      }
    }
    return table
  }()

  /// The kind of span for the element's content, a style or a link; nil for other elements.
  var span: HTMLSpan? {
    switch self {
    case .strong, .term, .headerCell: .strong
    case .emphasis: .emphasis
    case .strikethrough: .strikethrough
    case .mark: .mark
    case .code: .code
    case .link: .link
    default: nil
    }
  }

  /// Whether the content is superscript or subscript; nil if it is neither.
  var script: ScriptLetters? {
    switch self {
    case .superscript: .raised
    case .subscript: .lowered
    default: nil
    }
  }

  /// The level of a heading, 1 … 6; nil for other elements.
  var headingLevel: Int? {
    let level = Int(rawValue) - Int(Self.heading1.rawValue) + 1
    return (1...6).contains(level) ? level : nil
  }

  /// Whether the text before the element and the text in or after it are on different lines.
  var breaksLines: Bool { rawValue >= Self.lineBreak.rawValue && self != .hidden }
}

/// The kinds of spans that HTML tags define.
enum HTMLSpan: UInt8, CaseIterable {
  case strong, emphasis, strikethrough, mark, code, link, image

  /// Returns the corresponding kind of inline. `link` is only used for links and images.
  func kind(link: Int) -> Inline.Kind {
    switch self {
    case .strong: .strong
    case .emphasis: .emphasis
    case .strikethrough: .strikethrough
    case .mark: .mark
    case .code: .code
    case .link: .link(link)
    case .image: .image(link)
    }
  }
}
