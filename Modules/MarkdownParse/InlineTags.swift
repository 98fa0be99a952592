/// The meaning of the HTML tags among a leaf's atoms.
///
/// Two tags form a span if they are between the same delimiters and the span overlaps no other
/// span. All other tags render nothing. O(marks).
struct InlineTags {
  /// The meaning of a tag.
  enum Role {
    /// Begins a span, which another tag closes.
    case open(HTMLSpan)
    /// Ends a span.
    case close
    case image
    /// Makes the following text superscript or subscript, up to the closing tag at `end`.
    case script(ScriptLetters, end: Int)
    /// Is rendered as a line feed.
    case lineBreak
    /// Begins an element that is never shown. `to` is its end in the leaf.
    case hidden(to: Int)
    /// A line ending that renders nothing, because a tag beside it is rendered as a line feed.
    case nothing
  }

  /// The role of each atom; only set in a leaf with tags.
  private var roles: [Role?] = []
  /// Whether no atom has a role.
  private(set) var isEmpty = true
  /// Whether any of the spans is a link.
  private(set) var hasLinks = false
  /// The inlines of the open spans while the leaf is written.
  var opened: [(inline: Int, span: HTMLSpan)] = []

  /// An open tag or delimiter.
  private struct Open {
    /// The index of the atom; -1 for a Markdown delimiter.
    var atom: Int
    /// The kind of span: a style, a link, superscript or subscript.
    var kind = 0
    /// The index of the enclosing open tag of the same kind; -1 if it is the outermost.
    var previous: Int
  }

  private var opens: [Open] = []
  /// The index in `opens` of the last open tag of each kind.
  private var last = [Int](repeating: -1, count: HTMLSpan.allCases.count + 2)

  private static func kind(of element: HTMLElement) -> Int? {
    if let script = element.script { return HTMLSpan.allCases.count + Int(script.rawValue) }
    return element.span.map { Int($0.rawValue) }
  }
  /// For each open Markdown delimiter, the number of open elements inside it. The innermost
  /// delimiter is last.
  private var frames: [Int] = []
  /// The tag of an element that is never shown, and the number of Markdown delimiters around it.
  private var hiding: (atom: Int, name: Range<Int>, frames: Int, depth: Int, nests: Bool)?

  subscript(atom: Int) -> Role? { isEmpty ? nil : roles[atom] }

  private mutating func set(_ role: Role, of atom: Int) {
    roles[atom] = role
    isEmpty = false
  }

  /// Determines the meaning of the tags among a leaf's marks, which must be in order.
  mutating func find(
    in marks: [(range: Range<Int>, mark: Assembler.Mark)], _ scan: InlineScan, _ content: Bytes
  ) {
    isEmpty = true
    hasLinks = false
    guard scan.hasTags else { return }
    roles.removeAll(keepingCapacity: true)
    roles.append(contentsOf: repeatElement(nil, count: scan.atoms.count))
    opened.removeAll(keepingCapacity: true)
    hiding = nil
    opens.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
    for index in last.indices { last[index] = -1 }
    for (range, mark) in marks {
      switch mark {
      case .open:
        frames.append(opens.count)
        opens.append(Open(atom: -1, previous: -1))
      case .close:
        let frame = frames.removeLast()
        if let hiding, frames.count < hiding.frames { self.hiding = nil }
        while opens.count > frame { drop() }
      case .atom(let index):
        if scan.atoms[index].isTag { tag(index, range, content) }
      }
    }
    findBreaks(in: marks, scan, content)
  }

  private mutating func drop() {
    let open = opens.removeLast()
    if open.atom >= 0 { last[open.kind] = open.previous }
  }

  private mutating func tag(_ atom: Int, _ range: Range<Int>, _ content: Bytes) {
    let isClosing = content.at(range.lowerBound + 1) == UInt8(ascii: "/")
    let element = content.element(ofTag: range)
    let isUnseen = !isClosing && hiding == nil && HTMLTokens.isUnseen(range, content)
    if isUnseen, element == .image || content[range.upperBound - 2] == UInt8(ascii: "/") {
      set(.hidden(to: range.upperBound), of: atom)
      return
    }
    if element == .hidden || isUnseen || hiding != nil {
      return hide(atom, range, isClosing, nests: element != .hidden, content)
    }
    if element == .image, !isClosing {
      if HTMLPicture(range, content).shown != nil { set(.image, of: atom) }
      return
    }
    // Terms and header cells are blocks, so they don't occur in a paragraph.
    guard let kind = Self.kind(of: element), element != .term, element != .headerCell else {
      return
    }
    let span = element.span
    if isClosing {
      guard last[kind] > frames.last ?? -1 else { return }
      while opens.count > last[kind] + 1 { drop() }
      if let script = element.script {
        set(.script(script, end: range.lowerBound), of: opens[last[kind]].atom)
      } else if let span {
        set(.open(span), of: opens[last[kind]].atom)
        set(.close, of: atom)
      }
      hasLinks = hasLinks || span == .link
      drop()
    } else if content[range.upperBound - 2] != UInt8(ascii: "/"),
      span != .link || HTMLTokens.attribute("href", in: range, of: content) != nil
    {
      opens.append(Open(atom: atom, kind: kind, previous: last[kind]))
      last[kind] = opens.count - 1
    }
  }

  private mutating func hide(
    _ atom: Int, _ range: Range<Int>, _ isClosing: Bool, nests: Bool, _ content: Bytes
  ) {
    let start = range.lowerBound + (isClosing ? 2 : 1)
    let name = start..<HTMLTokens.nameEnd(content, from: start)
    guard let hiding else {
      if !isClosing { self.hiding = (atom, name, frames.count, 1, nests) }
      return
    }
    guard content[hiding.name].elementsEqual(content[name], by: { $0.lowercased == $1.lowercased })
    else { return }
    if !isClosing {
      if hiding.nests, content[range.upperBound - 2] != UInt8(ascii: "/") {
        self.hiding?.depth += 1
      }
    } else if hiding.depth > 1 {
      self.hiding?.depth -= 1
    } else if frames.count == hiding.frames {
      set(.hidden(to: range.upperBound), of: hiding.atom)
      self.hiding = nil
    }
  }

  /// Finds the tags that separate lines. They are rendered only if there is text before and after
  /// them.
  private mutating func findBreaks(
    in marks: [(range: Range<Int>, mark: Assembler.Mark)], _ scan: InlineScan, _ content: Bytes
  ) {
    var position = 0
    /// Whether there is text before the current position.
    var hasText = false
    /// The tags and line endings since that text, and whether each is rendered as a line break.
    var waiting: [(atom: Int, isBreak: Bool)] = []
    var hasBreak = false
    func show() {
      if hasText, hasBreak {
        for (atom, isBreak) in waiting { set(isBreak ? .lineBreak : .nothing, of: atom) }
      }
      waiting.removeAll(keepingCapacity: true)
      (hasText, hasBreak) = (true, false)
    }
    func text(to end: Int) {
      if position < end, content[position..<end].contains(where: { !$0.isSpace }) { show() }
    }
    for (range, mark) in marks where range.lowerBound >= position {
      text(to: range.lowerBound)
      position = max(position, range.upperBound)
      guard case .atom(let index) = mark else { continue }
      switch scan.atoms[index].kind {
      case .softBreak: waiting.append((index, false))
      case .hardBreak:
        // After a tag that separates lines, trailing spaces don't add another line break.
        let isBackslash = content[range.lowerBound] == UInt8(ascii: "\\")
        if hasBreak, !isBackslash { waiting.append((index, false)) } else { show() }
      case .rawHTML:
        if case .image = roles[index] { show() }
        if case .hidden(let end) = roles[index] { position = end }
        let element = content.element(ofTag: range)
        guard element.breaksLines, element == .lineBreak || !hasBreak else { continue }
        waiting.append((index, true))
        hasBreak = true
      default: show()
      }
    }
    text(to: scan.end)
  }
}

extension InlineScan.Atom {
  /// Whether the atom is a tag, a comment or a similar construct.
  var isTag: Bool { if case .rawHTML = kind { true } else { false } }
}

extension Bytes {
  /// Returns the element of an opening or closing tag; `other` for comments and similar constructs.
  func element(ofTag tag: Range<Int>) -> HTMLElement {
    let isClosing = at(tag.lowerBound + 1) == UInt8(ascii: "/")
    let name = tag.lowerBound + (isClosing ? 2 : 1)
    guard at(name).isLetter else { return .other }
    return HTMLElement(self, name..<HTMLTokens.nameEnd(self, from: name))
  }
}
