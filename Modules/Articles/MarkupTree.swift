import Glibc

/// The elements and texts of a page, in one array in document order. The index of a child is
/// greater than that of its parent. The depth is limited to `deepest`, so that the tree can be
/// traversed recursively.
///
/// ```swift
/// var tree = MarkupTree()
/// let body = tree.append(element: "body", to: MarkupTree.root)
/// let paragraph = tree.append(element: "p", to: body)
/// tree.append(text: "Hello", to: paragraph)
/// tree.text(of: body)  // "Hello"
/// ```
package struct MarkupTree: Sendable {
  /// An attribute of an element. The name is in lower case.
  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// An element, or a text, whose name is empty.
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

  /// The maximum depth of an element. A deeper element is omitted, and its children are added to
  /// its parent.
  package static let deepest = 200
  /// The maximum number of elements and texts. Further ones are omitted, and `isComplete` becomes
  /// false.
  package static let mostNodes = 400_000
  /// The maximum length of an attribute's value, in bytes. Longer attributes are omitted, because
  /// no real address or description is that long, and parsing them would be slow.
  package static let longestValue = 1 << 16

  private(set) var nodes = [Node(name: "#root", parent: -1, depth: 0)]
  /// Whether all elements and texts were added. False if there were more than `mostNodes`.
  package private(set) var isComplete = true

  /// Creates a tree with only the root.
  ///
  /// - Parameter count: the expected number of elements and texts. Space for them is reserved,
  ///   because growing a long array takes three times its size.
  package init(reserving count: Int = 0) {
    nodes.reserveCapacity(min(count + 1, Self.mostNodes))
  }

  /// The index of the root, which is not an element of the page.
  package static let root = 0

  /// Adds an element as the last child of another.
  ///
  /// - Returns: the index of the new element; `parent` if the element was omitted because of a
  ///   limit.
  package mutating func append(
    element name: String, _ attributes: [Attribute] = [], to parent: Int
  ) -> Int {
    guard Int(nodes[parent].depth) < Self.deepest else { return parent }
    let attributes = attributes.filter { $0.value.utf8.count <= Self.longestValue }
    return append(
      Node(
        name: name, attributes: attributes, parent: Int32(parent), depth: nodes[parent].depth + 1))
      ?? parent
  }

  /// Adds a text as the last child of an element, cleaned by `cleaned(_:)`.
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

  /// Returns a text without control characters. Unusual line separators become blanks, and NUL
  /// becomes U+FFFD.
  static func cleaned(_ text: String) -> String {
    let isClean = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 9, 10, 0x20..<0x7F: true
      case 0..<0xA0, 0x2028, 0x2029, 0xFEFF: false
      default: true
      }
    }
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

  /// Returns the value of an attribute; nil if the element does not have it.
  package func attribute(_ name: String, of node: Int) -> String? {
    nodes[node].attributes.first { $0.name == name }?.value
  }

  /// Returns the children that were not dropped.
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

  /// Returns the child elements that were not dropped.
  package func elements(in node: Int) -> [Int] {
    children(of: node).filter { !name(of: $0).isEmpty }
  }

  /// Returns the next sibling of a node, even if it was dropped; nil if there is none.
  func sibling(after node: Int) -> Int? { nodes[node].next < 0 ? nil : Int(nodes[node].next) }

  func parent(of node: Int) -> Int { Int(nodes[node].parent) }

  /// Returns a node and its ancestors, nearest first, without the root.
  func ancestors(of node: Int) -> some Sequence<Int> {
    sequence(state: node) { next -> Int? in
      guard next > 0 else { return nil }
      defer { next = Int(nodes[next].parent) }
      return next
    }
  }

  /// Returns the descendants of a node in document order, elements and texts, without those that
  /// were dropped.
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

  /// Returns the first element with a name below a node; nil if there is none.
  package func first(_ name: String, in node: Int = root) -> Int? {
    descendants(of: node).first { nodes[$0].name == name }
  }

  /// Returns the text of a node and its descendants with its white space.
  package func rawText(of node: Int) -> String {
    if nodes[node].name.isEmpty { return nodes[node].text }
    return descendants(of: node).reduce(into: "") { $0 += nodes[$1].text }
  }

  /// Returns the text of a node and its descendants in one line.
  package func text(of node: Int) -> String { rawText(of: node).inOneLine }

  /// Returns the start of the text of a node in one line. About 64 characters are read, so it is
  /// fast for large nodes.
  func beginning(of node: Int) -> String {
    if nodes[node].name.isEmpty { return String(nodes[node].text.prefix(64)).inOneLine }
    var text = ""
    for part in descendants(of: node) {
      text += nodes[part].text.prefix(64)
      if text.utf8.count > 64 { break }
    }
    return text.inOneLine
  }

  /// Returns the `class` and `id` of an element in lower case, by which pages name an element's
  /// purpose. At most 500 characters.
  func purpose(of node: Int) -> String {
    let parts = ["class", "id"].compactMap { attribute($0, of: node) }
    return parts.isEmpty ? "" : String(parts.joined(separator: " ").prefix(500)).lowercased()
  }

  /// Excludes a node and its descendants from reading.
  mutating func drop(_ node: Int) { nodes[node].isDropped = true }

  /// Returns whether a node or one of its ancestors was dropped.
  func isDropped(_ node: Int) -> Bool { ancestors(of: node).contains { nodes[$0].isDropped } }
}

extension String {
  /// Returns whether the text contains a word. The standard library's `contains` takes ten times as
  /// long, which matters for names that are looked up for each element of a page.
  func hasPart(_ word: String) -> Bool { strstr(self, word) != nil }
}

extension StringProtocol {
  /// The text in one line, with runs of HTML white space as single blanks and none at the ends.
  package var inOneLine: String {
    Array(utf8).split { $0 == 0x20 || (9...13).contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
