import Model

/// A template for exporting highlights, in a syntax like Mustache's: `{{quote}}`,
/// `{{#highlights}}…{{/highlights}}` for each highlight, `{{^note}}…{{/note}}` if the note is
/// empty, `{{! a comment }}`.
///
/// ```swift
/// let template = try Template(
///   "{{#documents}}# {{title}}\n{{#highlights}}- {{quote|line}}\n{{/highlights}}{{/documents}}")
/// var text = ""
/// try template.render(records, to: &text)
/// ```
///
/// All names are checked when the template is parsed. Values are escaped for Markdown unless a
/// filter is specified: `{{quote|yaml}}`. There are no includes and no recursion, and a list cannot
/// be nested in itself, so the size of the output is bounded by the template and the highlights.
/// `Documentation/exporting.md` lists the names and filters.
public struct Template: Sendable {
  /// An error in a template.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line number, from 1.
    public var line: Int
    /// A description of the error.
    public var reason: String
    /// The number of the character in a template of one line, from 1; nil for other templates.
    package var column: Int?
    /// The number of bytes before the tag with the error.
    var offset = 0
    /// The line or the character, and the description.
    public var description: String {
      column.map { "character \($0): \(reason)" } ?? "line \(line): \(reason)"
    }
  }

  indirect enum Node: Sendable {
    case text(String)
    case value(Name, Filter)
    case section(Name, isInverted: Bool, [Node], line: Int)
  }

  let nodes: [Node]
  /// Whether the template is for a single document. Such a template has no `{{#documents}}`, and
  /// names of the document can be used everywhere.
  public let isForOneDocument: Bool
  /// Whether the template writes a line for each highlight; see `init(line:)`.
  package let isLine: Bool
  /// The properties of highlights that the template does not use.
  public let omissions: [RecordPart]
  /// Whether the template writes any of `author`, `citation`, `place`, `facts` and `created`, which
  /// are from a document's work or from the program that a highlight was imported from. If it
  /// doesn't, the records lack all of these, and reading them takes a third of the time.
  package let usesSources: Bool

  /// The maximum size of a template in bytes.
  public static let longest = 1 << 20

  /// Parses a template.
  ///
  /// - Throws: `Problem` for the first error.
  public init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.longest else {
      throw Problem(line: 1, reason: "it is longer than \(Self.longest >> 20) MiB")
    }
    let tokens = try TemplateToken.tokens(of: text)
    isForOneDocument = !tokens.contains { $0.isDocuments }
    isLine = false
    var parser = TemplateParser(tokens, scopes: [isForOneDocument ? .document : .root])
    nodes = try parser.nodes(until: nil)
    omissions = RecordPart.allCases.filter { $0.isIn(parser.used) == false }
    usesSources = !parser.used.isDisjoint(with: [.author, .citation, .place, .facts, .created])
  }

  /// Parses a template that writes a line for each highlight:
  /// `{{path}}:{{line}}\t{{quote}}`. It can use the names of a document and of a highlight; `index`
  /// is the number of the line. Values are not escaped, and their white space becomes a single
  /// space, unless a filter is specified.
  /// `\t`, `\n` and `\\` are a tab, a line feed and a backslash.
  ///
  /// - Throws: `Problem` with the column of the first error.
  package init(line text: String) throws(Problem) {
    do throws(Problem) {
      guard text.utf8.count <= Self.longest else {
        throw Problem(line: 1, reason: "it is longer than \(Self.longest >> 20) MiB")
      }
      var tokens = try TemplateToken.tokens(of: text)
      for index in tokens.indices where tokens[index].kind == .text {
        tokens[index].text = tokens[index].text.unescaped
      }
      var parser = TemplateParser(tokens, scopes: [.document, .highlight], filter: .plain)
      nodes = try parser.nodes(until: nil)
      (isForOneDocument, isLine) = (false, true)
      omissions = RecordPart.allCases.filter { $0.isIn(parser.used) == false }
      usesSources = true
    } catch {
      var problem = error
      // Each error is in a tag. The bytes before it are whole characters.
      let before = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self)
      problem.column = before.count + 1
      throw problem
    }
  }

  /// The kinds of object that names refer to. The list of each is nested in the previous one's.
  enum Scope: Int, Comparable {
    case root, document, highlight, tag
    static func < (a: Scope, b: Scope) -> Bool { a.rawValue < b.rawValue }
  }

  /// The names that a template can use.
  enum Name: String, CaseIterable, Sendable {
    case documents
    case title, author, citation, path, document, highlights
    case documentNote = "document_note"
    case id, quote, marked, note, color, label, letter, state, line, column, place, prefix, suffix
    case created, updated
    case start, end, link, facts, number, index, tags, doubtful, orphaned
    case name
    case first, last

    /// The scope in which the name is defined; nil if it is defined in every list.
    var scope: Scope? {
      switch self {
      case .documents: .root
      case .title, .author, .citation, .path, .document, .highlights, .documentNote: .document
      case .name: .tag
      case .first, .last: nil
      default: .highlight
      }
    }

    /// The scope of the list's elements; nil if the name is not that of a list.
    var list: Scope? {
      switch self {
      case .documents: .document
      case .highlights: .highlight
      case .tags: .tag
      default: nil
      }
    }
  }
}

extension RecordPart {
  /// Returns whether a template that uses some names shows the property.
  fileprivate func isIn(_ names: Set<Template.Name>) -> Bool {
    let places: Set<Template.Name> =
      switch self {
      case .colors: [.color, .letter, .facts]
      case .notes: [.note]
      case .tags: [.tags, .facts]
      case .states: [.state, .facts, .doubtful, .orphaned]
      case .dates: [.created, .updated]
      case .context: [.prefix, .suffix]
      }
    return !places.isDisjoint(with: names)
  }
}

/// Parses tokens into a tree of nodes and checks all names.
private struct TemplateParser {
  private var rest: ArraySlice<TemplateToken>
  /// The open sections, and the scopes they have opened.
  private var open: [(token: TemplateToken, name: Template.Name)] = []
  private var scopes: [Template.Scope]
  private(set) var used: Set<Template.Name> = []
  /// The filter of values without one.
  private let filter: Template.Filter
  /// Whether the scopes in which the template begins are those of a line for each highlight.
  private let isLine: Bool

  init(_ tokens: [TemplateToken], scopes: [Template.Scope], filter: Template.Filter = .text) {
    (rest, self.scopes, self.filter) = (tokens[...], scopes, filter)
    isLine = scopes.contains(.highlight)
  }

  mutating func nodes(until end: TemplateToken?) throws(Template.Problem) -> [Template.Node] {
    var nodes: [Template.Node] = []
    while let token = rest.popFirst() {
      switch token.kind {
      case .text: nodes.append(.text(token.text))
      case .comment: break
      case .value:
        let parts = token.text.split(separator: "|", omittingEmptySubsequences: false).map(
          \.trimmed)
        let name = try name(parts[0], token)
        guard name.list == nil else {
          throw token.problem("'\(name)' is a list: {{#\(name)}} … {{/\(name)}} goes through it")
        }
        guard parts.count <= 2 else { throw token.problem("a value has one filter at most") }
        var filter = token.isRaw ? Template.Filter.raw : filter
        if parts.count == 2 {
          guard let named = Template.Filter(rawValue: parts[1]) else {
            throw token.problem(
              """
              there is no filter '\(parts[1])'; there are: \
              \(list(Template.Filter.allCases.map(\.rawValue)))
              """
            )
          }
          filter = named
        }
        nodes.append(.value(name, filter))
      case .section, .inverted:
        nodes.append(try section(token))
      case .end:
        guard let last = open.popLast() else {
          throw token.problem("{{/\(token.text)}} ends a section that did not begin")
        }
        guard last.token.text == token.text else {
          throw token.problem(
            """
            {{/\(token.text)}} ends {{#\(last.token.text)}}, which began in line \
            \(last.token.line)
            """
          )
        }
        return nodes
      }
    }
    if let last = open.last {
      throw last.token.problem("{{#\(last.token.text)}} does not end")
    }
    return nodes
  }

  private mutating func section(_ token: TemplateToken) throws(Template.Problem) -> Template.Node {
    let name = try name(token.text, token)
    let isInverted = token.kind == .inverted
    open.append((token, name))
    guard let list = name.list, !isInverted else {
      return .section(
        name, isInverted: isInverted, try nodes(until: token), line: token.line)
    }
    guard !scopes.contains(list) else {
      throw token.problem("{{#\(name)}} is inside another {{#\(name)}}")
    }
    scopes.append(list)
    defer { scopes.removeLast() }
    return .section(name, isInverted: false, try nodes(until: token), line: token.line)
  }

  private mutating func name(_ word: String, _ token: TemplateToken) throws(Template.Problem)
    -> Template.Name
  {
    let reached = scopes[scopes.count - 1]
    // A line has no other highlights.
    let unknown: Set<Template.Name> = isLine ? [.documents, .highlights] : []
    guard let name = Template.Name(rawValue: word), !unknown.contains(name) else {
      let known = Template.Name.allCases.filter { name in
        if unknown.contains(name) { return false }
        return
          name.scope.map { $0 <= reached && scopes.contains($0) }
          ?? (isLine ? reached == .tag : scopes.count > 1)
      }
      let hint = Spelling.suggestion(for: word, among: known.map(\.rawValue))
      throw token.problem(
        "there is no '\(word)' here; "
          + (hint ?? "there are: \(list(known.map(\.rawValue)))"))
    }
    if let scope = name.scope, !scopes.contains(scope) {
      let section = Template.Name.allCases.first { $0.list == scope }
      throw token.problem(
        "'\(word)' is known only between {{#\(section?.rawValue ?? "documents")}} and its end")
    }
    if name.scope == nil, scopes.count == 1 || isLine && reached != .tag {
      throw token.problem("'\(word)' is known only inside of a list")
    }
    used.insert(name)
    return name
  }

  private func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}

extension String {
  /// The text with tabs, line feeds and backslashes instead of `\t`, `\n` and `\\`.
  fileprivate var unescaped: String {
    guard contains("\\") else { return self }
    var result = ""
    var rest = self[...]
    while let character = rest.popFirst() {
      guard character == "\\", let next = rest.first else {
        result.append(character)
        continue
      }
      let meaning: Character? =
        switch next {
        case "t": "\t"
        case "n": "\n"
        case "\\": "\\"
        default: nil
        }
      result.append(meaning ?? character)
      if meaning != nil { rest.removeFirst() }
    }
    return result
  }
}
