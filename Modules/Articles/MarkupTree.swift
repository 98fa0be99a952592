/// The elements and texts of a page, in one array, in the order in which they stand there. A child's index
/// is always greater than its parent's. It is never deeper than `deepest`, so that functions may call
/// themselves for its parts.
package struct MarkupTree: Sendable {
  /// One attribute of an element; the name is in small letters.
  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// An element, or a text, which has no name.
  struct Node: Sendable {
    var name: String
    var text = ""
    var attributes: [Attribute] = []
    var parent: Int32
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var next: Int32 = -1
    var depth: Int32
    var isDropped = false
  }

  /// The deepest element; what is deeper is a child of one that is not.
  package static let deepest = 200
  /// The most elements and texts; further ones are left out, and `isComplete` says so.
  package static let mostNodes = 400_000

  private(set) var nodes = [Node(name: "#root", parent: -1, depth: 0)]
  /// Whether nothing was left out for its number.
  package private(set) var isComplete = true

  package init() {}

  /// The root, which is no element of the page.
  package static let root = 0

  /// Adds an element behind the last child of another one.
  ///
  /// - Returns: where its own children go: `parent` itself where the tree must not be deeper.
  package mutating func append(
    element name: String, _ attributes: [Attribute] = [], to parent: Int
  ) -> Int {
    guard Int(nodes[parent].depth) < Self.deepest else { return parent }
    return append(
      Node(
        name: name, attributes: attributes, parent: Int32(parent), depth: nodes[parent].depth + 1))
      ?? parent
  }

  /// Adds a text behind the last child of an element. Characters that no line of text has become blanks
  /// or are left out.
  package mutating func append(text: String, to parent: Int) {
    guard !text.isEmpty else { return }
    _ = append(
      Node(
        name: "", text: Self.cleaned(text), parent: Int32(parent), depth: nodes[parent].depth + 1))
  }

  private mutating func append(_ node: Node) -> Int? {
    guard nodes.count < Self.mostNodes else {
      isComplete = false
      return nil
    }
    let (index, parent) = (Int32(nodes.count), Int(node.parent))
    nodes.append(node)
    if nodes[parent].lastChild >= 0 {
      nodes[Int(nodes[parent].lastChild)].next = index
    } else {
      nodes[parent].firstChild = index
    }
    nodes[parent].lastChild = index
    return Int(index)
  }

  /// A text without control characters; what else would end a line is a blank.
  static func cleaned(_ text: String) -> String {
    let isClean = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F || $0 == 10 || $0 == 9 }
    guard !isClean else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 9, 10, 13: result.append(scalar == "\r" ? "\n" : scalar)
      case 0: result.append("\u{FFFD}")
      case 0x0B, 0x0C, 0x85, 0x2028, 0x2029: result.append(" ")
      case 1..<0x20, 0x7F..<0xA0, 0xFEFF: continue
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  // MARK: - Reading

  package func name(of node: Int) -> String { nodes[node].name }

  /// The value of an attribute; nil when the element does not have it.
  package func attribute(_ name: String, of node: Int) -> String? {
    nodes[node].attributes.first { $0.name == name }?.value
  }

  /// The children that were not dropped.
  func children(of node: Int) -> some Sequence<Int> {
    sequence(state: Int(nodes[node].firstChild)) { next -> Int? in
      while next >= 0 {
        let child = next
        next = Int(nodes[child].next)
        if !nodes[child].isDropped { return child }
      }
      return nil
    }
  }

  /// The elements among the children.
  package func elements(in node: Int) -> [Int] {
    children(of: node).filter { !name(of: $0).isEmpty }
  }

  /// The element or text behind a node, dropped or not; nil for none.
  func sibling(after node: Int) -> Int? { nodes[node].next < 0 ? nil : Int(nodes[node].next) }

  func parent(of node: Int) -> Int { Int(nodes[node].parent) }

  /// A node and those around it, the nearest first, without the root.
  func ancestors(of node: Int) -> some Sequence<Int> {
    sequence(state: node) { next -> Int? in
      guard next > 0 else { return nil }
      defer { next = Int(nodes[next].parent) }
      return next
    }
  }

  /// The nodes below one that were not dropped, in their order, with whether a text or an element.
  package func descendants(of node: Int) -> some Sequence<Int> {
    var stack: [Int] = []
    var next = Int(nodes[node].firstChild)
    return AnyIterator {
      while true {
        while next < 0 {
          guard let parent = stack.popLast() else { return nil }
          next = Int(nodes[parent].next)
        }
        let current = next
        if nodes[current].isDropped {
          next = Int(nodes[current].next)
          continue
        }
        if nodes[current].firstChild >= 0 {
          stack.append(current)
          next = Int(nodes[current].firstChild)
        } else {
          next = Int(nodes[current].next)
        }
        return current
      }
    }
  }

  /// The first element of a name below a node.
  package func first(_ name: String, in node: Int = root) -> Int? {
    descendants(of: node).first { nodes[$0].name == name }
  }

  /// The text below a node as it stands there.
  package func rawText(of node: Int) -> String {
    if nodes[node].name.isEmpty { return nodes[node].text }
    return descendants(of: node).reduce(into: "") { $0 += nodes[$1].text }
  }

  /// The text below a node, in one line.
  package func text(of node: Int) -> String { rawText(of: node).inOneLine }

  /// The first words of the text below a node, in one line; at most some hundred bytes are read.
  func beginning(of node: Int) -> String {
    if nodes[node].name.isEmpty { return String(nodes[node].text.prefix(64)).inOneLine }
    var text = ""
    for part in descendants(of: node) {
      text += nodes[part].text.prefix(64)
      if text.utf8.count > 64 { break }
    }
    return text.inOneLine
  }

  /// The words of the attributes by which pages say what an element is for, in small letters.
  func purpose(of node: Int) -> String {
    let parts = ["class", "id"].compactMap { attribute($0, of: node) }
    return parts.isEmpty ? "" : String(parts.joined(separator: " ").prefix(500)).lowercased()
  }

  /// Takes a node, and all below it, out of what is read.
  mutating func drop(_ node: Int) { nodes[node].isDropped = true }

  /// Whether a node or one around it was dropped.
  func isDropped(_ node: Int) -> Bool { ancestors(of: node).contains { nodes[$0].isDropped } }
}

extension StringProtocol {
  /// The words with one blank between them, where blanks are those of HTML.
  package var inOneLine: String {
    Array(utf8).split { $0 == 0x20 || (9...13).contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
