import Model

/// A token of a template: a text or a tag.
struct TemplateToken {
  enum Kind { case text, value, section, inverted, end, comment }

  var kind: Kind
  /// The text, or the content of the tag.
  var text: String
  /// The line on which the token begins, from 1.
  var line: Int
  /// The number of bytes of the template before the token. Not exact for tags of several lines.
  var offset = 0
  /// Whether the value is not escaped: `{{{name}}}`, `{{&name}}`.
  var isRaw = false

  /// Whether the token starts the list of documents.
  var isDocuments: Bool { kind == .section && text == Template.Name.documents.rawValue }

  func problem(_ reason: String) -> Template.Problem {
    var problem = Template.Problem(line: line, reason: reason)
    problem.offset = offset
    return problem
  }

  /// Splits a template into tokens. A line that contains only section tags or comments produces no
  /// text. O(length).
  ///
  /// - Throws: `Problem` if a tag is not closed, empty or not supported.
  static func tokens(of text: String) throws(Template.Problem) -> [TemplateToken] {
    var tokens: [TemplateToken] = []
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var number = 0
    while !bytes.isEmpty {
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.endIndex
      var line = bytes[..<end]
      number += 1
      bytes = bytes[end...]
      var found: [TemplateToken] = []
      let first = number
      while let token = try next(in: &line, &bytes, &number) { found.append(token) }
      append(found, beginningIn: first, to: &tokens)
    }
    return tokens
  }

  private static func append(
    _ found: [TemplateToken], beginningIn line: Int, to tokens: inout [TemplateToken]
  ) {
    let isSilent = found.allSatisfy { token in
      switch token.kind {
      case .text: token.text.allSatisfy(\.isWhitespace)
      case .value: false
      default: true
      }
    }
    let hasTag = found.contains { $0.kind != .text }
    for token in found {
      if isSilent, hasTag, token.kind == .text { continue }
      if token.kind == .text, let last = tokens.last, last.kind == .text {
        tokens[tokens.count - 1].text += token.text
      } else {
        tokens.append(token)
      }
    }
  }

  /// Returns the next token of a line; nil at its end. A tag may continue on further lines, which
  /// are then consumed too.
  private static func next(
    in line: inout ArraySlice<UInt8>, _ rest: inout ArraySlice<UInt8>, _ number: inout Int
  ) throws(Template.Problem) -> TemplateToken? {
    guard !line.isEmpty else { return nil }
    let opening = Array("{{".utf8)
    guard let start = line.firstIndex(of: opening) else {
      defer { line = [] }
      return TemplateToken(kind: .text, text: String(decoding: line, as: UTF8.self), line: number)
    }
    if start > line.startIndex {
      defer { line = line[start...] }
      return TemplateToken(
        kind: .text, text: String(decoding: line[..<start], as: UTF8.self), line: number)
    }
    let (offset, begun) = (line.startIndex, number)
    func problem(_ reason: String) -> Template.Problem {
      var problem = Template.Problem(line: begun, reason: reason)
      problem.offset = offset
      return problem
    }
    let isTriple = line.dropFirst(2).first == UInt8(ascii: "{")
    let closing = Array((isTriple ? "}}}" : "}}").utf8)
    while line.firstIndex(of: closing) == nil {
      guard !rest.isEmpty else { throw problem("{{ does not end") }
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
      line = (Array(line) + rest[..<end])[...]
      rest = rest[end...]
      number += 1
      guard number - begun < 100 else {
        throw problem("{{ does not end")
      }
    }
    let close = line.firstIndex(of: closing) ?? line.endIndex
    let inside = String(
      decoding: line[(line.startIndex + (isTriple ? 3 : 2))..<close], as: UTF8.self)
    line = line[(close + closing.count)...]
    do throws(Template.Problem) {
      var token = try tag(inside, isTriple: isTriple, line: begun)
      token.offset = offset
      return token
    } catch { throw problem(error.reason) }
  }

  private static func tag(_ inside: String, isTriple: Bool, line: Int) throws(Template.Problem)
    -> TemplateToken
  {
    let word = inside.trimmed
    let name = word.dropFirst().trimmed
    let token: TemplateToken
    switch word.first {
    case _ where isTriple: token = TemplateToken(kind: .value, text: word, line: line, isRaw: true)
    case "!": return TemplateToken(kind: .comment, text: "", line: line)
    case "#": token = TemplateToken(kind: .section, text: name, line: line)
    case "^": token = TemplateToken(kind: .inverted, text: name, line: line)
    case "/": token = TemplateToken(kind: .end, text: name, line: line)
    case "&": token = TemplateToken(kind: .value, text: name, line: line, isRaw: true)
    case ">", "<", "$", "=":
      throw Template.Problem(
        line: line, reason: "{{\(word)}} is not supported: a template is one file without includes")
    default: token = TemplateToken(kind: .value, text: word, line: line)
    }
    if token.text.isEmpty { throw token.problem("the tag {{\(inside)}} has no name") }
    return token
  }
}

extension ArraySlice<UInt8> {
  /// Returns the index of the first occurrence of some bytes; nil if there is none.
  fileprivate func firstIndex(of bytes: [UInt8]) -> Int? {
    guard count >= bytes.count else { return nil }
    return (startIndex...(endIndex - bytes.count)).first {
      self[$0..<($0 + bytes.count)].elementsEqual(bytes)
    }
  }
}
