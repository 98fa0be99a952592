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
    "cmark before 0.31 gives up a `__` after a `_` that closed nothing", where: "(?s)__.*[^_]_[^_]")
  static let escapedEntities = AllowedDifference(
    "cmark resolves the entity of `\\&copy;` in an info string, whose `&` is escaped",
    where: "(```|~~~).*\\\\&")
  static let lazyBlanks = AllowedDifference(
    "cmark keeps the blanks before a lazy line inside code and tags, which the specification takes "
      + "off every line of a paragraph", where: "(?s)([`<].*|\\\\|\\]:.*)\\n[> ]*[ \\t]")
  static let taggedImages = AllowedDifference(
    "cmark puts tags into an image's description; here they are no text", where: "(?s)!\\[.*<")
  static let boxes = AllowedDifference(
    "cmark-gfm reads a box with its line: also without text after it (GFM 5.3 knows none), not "
      + "behind another container's marker, and it forgets that a paragraph is open",
    where: "\\[[ x]\\]")
  static let bracketedAddresses = AllowedDifference(
    "cmark-gfm finds no address after an open bracket, though that begins no link",
    where: "(?s)\\[.*(www\\.|http:)")
  static let chainedAddresses = AllowedDifference(
    "of two addresses that share letters cmark-gfm takes the second", where: "@[^ ]+@")
  static let loneBars = AllowedDifference(
    "cmark-gfm ends a table at a line with nothing but a bar",
    where: "(?m)^[> ]*\\|[ \\t]*$")
  static let lazyTags = AllowedDifference(
    "cmark-gfm lets a tag alone on its line end a paragraph that goes on lazily",
    where: "(?m)^[> \\t]*</?[a-z][^\\n]*>[ \\t]*$")
  static let droppedTitles = AllowedDifference(
    "cmark keeps a definition's title though text after it makes it none",
    where: "\\]:.*\\n[> ]*[\"'(]")
  static let openParentheses = AllowedDifference(
    "cmark-gfm takes a destination with an open parenthesis", where: "(?s)\\][:(].*\\(")
  static let numberedAddresses = AllowedDifference(
    "cmark-gfm links no e-mail address that ends in a digit, which GFM 6.9 allows",
    where: "@[a-z.]+[0-9]")
  static let underscoredAddresses = AllowedDifference(
    "cmark-gfm counts the underscores that end emphasis to the domain before them",
    where: "(www\\.|http:)[^ ]*_")
  static let escapedAddresses = AllowedDifference(
    "cmark-gfm finds e-mail addresses after escapes and entities are resolved; here a link's text is "
      + "what stands in the source",
    where: "(\\\\[._-]|;)[^ ]*@|@[^ ]*[&\\\\]")
  static let tildes = AllowedDifference(
    "cmark-gfm looks past tildes for what stands beside a run of stars", where: "[*_]~|~[*_]")
  static let tabledDefinitions = AllowedDifference(
    "cmark-gfm reads no definitions in the lines before a table", where: "\\]:.*\\n.*\\|")
  static let rulesAfterDefinitions = AllowedDifference(
    "cmark makes text of a rule right after a definition, where commonmark.js sees a rule",
    where: "\\]:.*\\n[> ]*---")
  static let unequalTildes = AllowedDifference(
    "cmark-gfm pairs no tildes around a run of another length", where: "(?s)~~.*[^~]~[^~].*~~")
  static let escapedBars = AllowedDifference(
    "cmark-gfm takes a bar after two backslashes for an escaped one", where: "\\\\\\\\\\|")
}
