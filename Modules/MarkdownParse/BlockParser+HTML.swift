extension BlockParser {
  /// Makes blocks of what an HTML block holds. Nothing stands behind it in the tree yet.
  mutating func divideHTML(_ index: Int) {
    let leaf = LeafText(tree.lines[tree.nodes[index].lines], of: bytes)
    leaf.withBytes { content in
      var builder = HTMLBuilder(index, leaf, content)
      swap(&builder.tree, &tree)
      builder.build()
      swap(&builder.tree, &tree)
    }
  }
}
