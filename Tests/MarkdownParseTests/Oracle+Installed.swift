import Foundation

@testable import MarkdownParse

// The oracles of Debian, with their known differences. Each difference was reviewed manually. Its
// pattern restricts it to affected documents, so all other documents must be equal.
extension Oracle {
  /// The reference implementation, version 0.30.
  static let cmark = Oracle(
    name: "cmark", arguments: ["--unsafe"], options: .commonMark,
    allowed: [
      .underscores, .escapedEntities, .lazyBlanks, .taggedImages, .droppedTitles,
      .rulesAfterDefinitions,
    ])

  /// GitHub's implementation, version 0.29.
  static let cmarkGFM = Oracle(
    name: "cmark-gfm",
    arguments: [
      "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist",
    ], options: .gfm,
    allowed: [
      .underscores, .escapedEntities, .lazyBlanks, .taggedImages, .boxes, .loneBars,
      .bracketedAddresses,
      .chainedAddresses, .lazyTags, .droppedTitles, .openParentheses, .numberedAddresses,
      .underscoredAddresses, .escapedAddresses, .tildes, .unequalTildes, .escapedBars,
      .tabledDefinitions,
      .rulesAfterDefinitions,
    ])
}

extension AllowedDifference {
  init(_ reason: String, where pattern: String) {
    self.init(reason: reason) { $0.range(of: pattern, options: .regularExpression) != nil }
  }

  static let underscores = AllowedDifference(
    "cmark before 0.31 does not match a `__` after a `_` that closed no emphasis",
    where: "(?s)__.*[^_]_[^_]")
  static let escapedEntities = AllowedDifference(
    "cmark decodes `\\&copy;` in an info string as an entity, although its `&` is escaped",
    where: "(```|~~~).*\\\\&")
  static let lazyBlanks = AllowedDifference(
    "in code and tags, cmark keeps the blanks before a lazy line, which the specification removes "
      + "from every line of a paragraph", where: "(?s)([`<].*|\\\\|\\]:.*)\\n[> ]*[ \\t]")
  static let taggedImages = AllowedDifference(
    "cmark includes tags in an image's description; this parser omits them", where: "(?s)!\\[.*<")
  static let boxes = AllowedDifference(
    "cmark-gfm parses a checkbox from its line alone: also without text after it, unlike GFM 5.3; "
      + "not after another container's marker; and as if no paragraph were open",
    where: "\\[[ x]\\]")
  static let bracketedAddresses = AllowedDifference(
    "cmark-gfm finds no address after an open bracket, even if the bracket begins no link",
    where: "(?s)\\[.*(www\\.|http:)")
  static let chainedAddresses = AllowedDifference(
    "of two addresses that share letters, cmark-gfm links the second", where: "@[^ ]+@")
  static let loneBars = AllowedDifference(
    "cmark-gfm ends a table at a line that contains only a bar",
    where: "(?m)^[> ]*\\|[ \\t]*$")
  static let lazyTags = AllowedDifference(
    "in cmark-gfm, a line with only a tag ends a paragraph that it would lazily continue",
    where: "(?m)^[> \\t]*</?[a-z][^\\n]*>[ \\t]*$")
  static let droppedTitles = AllowedDifference(
    "cmark keeps a definition's title, although text after it makes the title invalid",
    where: "\\]:.*\\n[> ]*[\"'(]")
  static let openParentheses = AllowedDifference(
    "cmark-gfm accepts a destination with an unclosed parenthesis", where: "(?s)\\][:(].*\\(")
  static let numberedAddresses = AllowedDifference(
    "cmark-gfm does not link an email address that ends in a digit, which GFM 6.9 allows",
    where: "@[a-z.]+[0-9]")
  static let underscoredAddresses = AllowedDifference(
    "cmark-gfm treats underscores that end emphasis as part of the domain before them",
    where: "(www\\.|http:)[^ ]*_")
  static let escapedAddresses = AllowedDifference(
    "cmark-gfm searches for email addresses after it has decoded escapes and entities; this parser "
      + "searches the source",
    where: "(\\\\[._-]|;)[^ ]*@|@[^ ]*[&\\\\]")
  static let tildes = AllowedDifference(
    "cmark-gfm skips tildes to find the character beside a run of asterisks or underscores",
    where: "[*_]~|~[*_]")
  static let tabledDefinitions = AllowedDifference(
    "cmark-gfm does not parse definitions in the lines before a table", where: "\\]:.*\\n.*\\|")
  static let rulesAfterDefinitions = AllowedDifference(
    "cmark parses a thematic break right after a definition as text, unlike commonmark.js",
    where: "\\]:.*\\n[> ]*---")
  static let unequalTildes = AllowedDifference(
    "cmark-gfm does not match tildes around a run of another length",
    where: "(?s)~~.*[^~]~[^~].*~~")
  static let escapedBars = AllowedDifference(
    "cmark-gfm treats a bar after two backslashes as escaped", where: "\\\\\\\\\\|")
}
