extension BlockReader {
  /// Returns a code block with its language, if the page states it.
  func codeBlock(_ node: Int) -> [ArticleBlock] {
    var text = ""
    appendCode(of: node, &text)
    // HTML ignores a line break at the start of the element (HTML 13.1.2.5). Line breaks at the end
    // are not visible.
    if text.hasPrefix("\n") { text.removeFirst() }
    while text.hasSuffix("\n") { text.removeLast() }
    guard text.contains(where: { !$0.isWhitespace }) else { return [] }
    let marked = [node] + tree.descendants(of: node).prefix(8) + tree.ancestors(of: node).prefix(3)
    let language = marked.lazy.compactMap(language(of:)).first ?? ""
    return [.code(text, language: language)]
  }

  private func appendCode(of node: Int, _ text: inout String) {
    for child in tree.children(of: node) {
      let name = tree.name(of: child)
      if name.isEmpty { text += tree.rawText(of: child).replacing("\r\n", with: "\n") }
      if name == "br" { text += "\n" }
      if name.isEmpty || Self.unreadNames.contains(name)
        || Self.isLineNumber(tree.purpose(of: child))
      {
        continue
      }
      let isLine = hasBlocks[child] && Self.blockNames.contains(name)
      if isLine, !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
      appendCode(of: child, &text)
      if isLine, !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
    }
  }

  private static func isLineNumber(_ purpose: String) -> Bool {
    purpose.split { $0 == " " }.contains {
      ["lineno", "linenos", "gutter", "line-numbers", "line-numbers-rows", "lineno-cell"].contains(
        $0)
    }
  }

  private func language(of node: Int) -> String? {
    var words = ["data-lang", "data-language", "lang-name"].compactMap {
      tree.attribute($0, of: node)
    }
    let classes = (tree.attribute("class", of: node) ?? "").split(whereSeparator: \.isWhitespace)
    for (index, word) in classes.enumerated() {
      for mark in ["language-", "lang-", "highlight-source-", "brush:"] where word.hasPrefix(mark) {
        words.append(String(word.dropFirst(mark.count)))
      }
      if word == "brush:" || word == "sourceCode", index + 1 < classes.count {
        words.append(String(classes[index + 1]))
      }
    }
    return words.lazy.map { word in
      String(word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+#-_.".contains($0)) })
    }.first { !$0.isEmpty && $0.count <= 24 && !["none", "plaintext", "text"].contains($0) }
  }
}
