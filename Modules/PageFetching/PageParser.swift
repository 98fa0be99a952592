import Articles
import CGumbo
import Dispatch
import Glibc

/// Parses HTML as browsers do, with libgumbo.
enum PageParser {
  /// The memory limit of libgumbo in bytes.
  private static let memoryLimit = 256 << 20
  /// The time limit in seconds: libgumbo's time can be quadratic in the size of a page.
  private static let longest = 10.0

  /// A limit that a page exceeds.
  enum Excess { case memory, time }

  /// The memory use of libgumbo. One page is parsed at a time.
  private final class Memory {
    var used = 0
    let whenFull: @Sendable (Excess) -> Void
    init(_ whenFull: @escaping @Sendable (Excess) -> Void) { self.whenFull = whenFull }
  }

  /// Parses a page in UTF-8.
  ///
  /// - Parameter whenFull: called on any thread if the page exceeds the limit of memory or time;
  ///   must not return.
  static func tree(of bytes: [UInt8], whenFull: @escaping @Sendable (Excess) -> Void) -> MarkupTree
  {
    let watch = DispatchWorkItem { whenFull(.time) }
    DispatchQueue.global().asyncAfter(deadline: .now() + longest, execute: watch)
    defer { watch.cancel() }
    let memory = Memory(whenFull)
    var options = kGumboDefaultOptions
    options.max_errors = 0
    options.userdata = Unmanaged.passUnretained(memory).toOpaque()
    options.allocator = { context, size in
      let memory = Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue()
      guard memory.used + size <= PageParser.memoryLimit, let result = malloc(size) else {
        memory.whenFull(.memory)
        return nil
      }
      memory.used += malloc_usable_size(result)
      return result
    }
    options.deallocator = { context, pointer in
      guard let pointer else { return }
      let memory = Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue()
      memory.used -= malloc_usable_size(pointer)
      free(pointer)
    }
    return withExtendedLifetime(memory) {
      bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress,
          let output = gumbo_parse_with_options(
            &options, start.assumingMemoryBound(to: CChar.self), bytes.count)
        else { return MarkupTree() }
        let count = bytes.count { $0 == UInt8(ascii: "<") }
        return moved(output.pointee.document, to: MarkupTree(reserving: count))
      }
    }
  }

  /// Copies the nodes of a document to a tree, and frees each of them, so that a large page is not
  /// in memory twice. `gumbo_destroy_output` isn't used: it recurses for each level, and pages can
  /// be nested arbitrarily. Omitted nodes are not freed, because the program exits soon.
  private static func moved(
    _ document: UnsafeMutablePointer<GumboNode>, to tree: consuming MarkupTree
  ) -> MarkupTree {
    // The unread nodes of all open elements. The last one is read first.
    var rest: [(node: UnsafeMutablePointer<GumboNode>, parent: Int)] = []
    func push(_ children: GumboVector, _ parent: Int) {
      for index in (0..<Int(children.length)).reversed() {
        if let child = children.data[index] {
          rest.append((child.assumingMemoryBound(to: GumboNode.self), parent))
        }
      }
      free(children.data)
    }
    push(document.pointee.v.document.children, MarkupTree.root)
    while let (node, parent) = rest.popLast() {
      switch node.pointee.type {
      case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
        tree.append(text: String(cString: node.pointee.v.text.text), to: parent)
        free(UnsafeMutablePointer(mutating: node.pointee.v.text.text))
      case GUMBO_NODE_ELEMENT:
        let element = node.pointee.v.element
        let name = name(of: element)
        // Style sheets and templates aren't shown, and could exceed the tree's limits.
        if ["style", "template"].contains(name) { continue }
        let added = tree.append(element: name, attributes(of: element), to: parent)
        if added == parent, name == "script" { continue }
        freeAttributes(of: element)
        push(element.children, added)
      default: continue
      }
      free(node)
    }
    return tree
  }

  private static func name(of element: GumboElement) -> String {
    if element.tag != GUMBO_TAG_UNKNOWN {
      return String(cString: gumbo_normalized_tagname(element.tag))
    }
    var piece = element.original_tag
    guard piece.data != nil, piece.length > 0 else { return "span" }
    gumbo_tag_from_original_text(&piece)
    guard let start = piece.data, piece.length > 0 else { return "span" }
    let bytes = UnsafeRawBufferPointer(start: start, count: min(Int(piece.length), 40))
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  private static func freeAttributes(of element: GumboElement) {
    for index in 0..<Int(element.attributes.length) {
      guard let raw = element.attributes.data[index] else { continue }
      let attribute = raw.assumingMemoryBound(to: GumboAttribute.self).pointee
      free(UnsafeMutablePointer(mutating: attribute.name))
      free(UnsafeMutablePointer(mutating: attribute.value))
      free(raw)
    }
    free(element.attributes.data)
  }

  private static let mostAttributes = 40

  private static func attributes(of element: GumboElement) -> [MarkupTree.Attribute] {
    (0..<min(Int(element.attributes.length), mostAttributes)).compactMap { index in
      guard let raw = element.attributes.data[index] else { return nil }
      let attribute = raw.assumingMemoryBound(to: GumboAttribute.self).pointee
      let prefix = attribute.attr_namespace == GUMBO_ATTR_NAMESPACE_XLINK ? "xlink:" : ""
      return MarkupTree.Attribute(
        prefix + String(cString: attribute.name).lowercased(), String(cString: attribute.value))
    }
  }
}
