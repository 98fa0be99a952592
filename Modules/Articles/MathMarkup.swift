import MarkdownParse

/// Converts the elements of a MathML formula to TeX.
///
/// ```swift
/// MathMarkup.tex(of: formula, in: tree)  // "\frac{a}{b}"
/// ```
enum MathMarkup {
  /// Returns a formula as TeX in one line; empty if it shows nothing. Elements without a counterpart
  /// in TeX become their contents. O(nodes).
  static func tex(of formula: Int, in tree: MarkupTree) -> String {
    var writer = Writer(tree: tree)
    writer.addChildren(of: formula)
    return writer.result.inOneLine
  }

  private struct Writer {
    let tree: MarkupTree
    var result = ""

    mutating func addChildren(of node: Int) { for child in tree.children(of: node) { add(child) } }

    mutating func add(_ node: Int) {
      let parts = tree.elements(in: node)
      switch tree.name(of: node) {
      case "": return
      case "mi": addIdentifier(tree.text(of: node))
      case "mn": addSigns(tree.text(of: node))
      case "mo": addOperator(tree.text(of: node))
      case "mtext", "ms":
        let text = tree.text(of: node)
        if !text.isEmpty { addCommand("text{\(MathMarkup.escaped(text))}") }
      case "mspace": if let last = result.last, last != " " { result += " " }
      case "msup" where parts.count == 2: addScripts(parts[0], nil, parts[1])
      case "msub" where parts.count == 2: addScripts(parts[0], parts[1], nil)
      case "msubsup" where parts.count == 3: addScripts(parts[0], parts[1], parts[2])
      case "mover" where parts.count == 2: addOver(parts[0], parts[1])
      case "munder" where parts.count == 2:
        isLarge(parts[0])
          ? addScripts(parts[0], parts[1], nil) : addCommand("underset", [parts[1], parts[0]])
      case "munderover" where parts.count == 3: addScripts(parts[0], parts[1], parts[2])
      case "mfrac" where parts.count == 2: addCommand("frac", parts)
      case "msqrt":
        addCommand("sqrt{")
        addChildren(of: node)
        result += "}"
      case "mroot" where parts.count == 2:
        addCommand("sqrt[")
        add(parts[1])
        result += "]"
        addGroup(parts[0])
      case "mfenced": addFences(node, parts)
      case "mtable": addTable(parts, named: "matrix")
      case "semantics": if let first = parts.first { add(first) }
      case "annotation", "annotation-xml", "mphantom", "mprescripts", "none": return
      default: addChildren(of: node)
      }
    }

    // MARK: - Leaves

    private static let functions: Set<String> = [
      "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp",
      "gcd", "hom", "inf", "ker", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec",
      "sin", "sinh", "sup", "tan", "tanh",
    ]

    private mutating func addIdentifier(_ text: String) {
      if Self.functions.contains(text) { return addCommand(text) }
      text.count > 1 ? addCommand("mathrm{\(MathMarkup.escaped(text))}") : addSigns(text)
    }

    private mutating func addOperator(_ text: String) {
      if Self.functions.contains(text) { return addCommand(text) }
      // Operators of several letters are words, such as “mod”.
      if text.count > 1, text.allSatisfy(\.isLetter) { return addCommand("mathrm{\(text)}") }
      let isRelation = ["=", "≠", "<", ">", "≤", "≥", "→", "≈", "≡", "∈", "⊂"].contains(text)
      addSigns(isRelation ? " \(text) " : text)
    }

    /// Adds signs, but not those of Unicode's invisible operators.
    private mutating func addSigns(_ text: String) {
      let shown = String(
        String.UnicodeScalarView(text.unicodeScalars.filter { !(0x2061...0x2064 ~= $0.value) }))
      guard let first = shown.first else { return }
      // A letter after the name of a command would continue it.
      if first.isLetter, endsInCommand { result += " " }
      result += MathMarkup.escaped(shown)
    }

    private var endsInCommand: Bool {
      let name = result.utf8.reversed().prefix(20).prefix { UInt8(ascii: "A")...0x7A ~= $0 }
      let letters = name.prefix { ($0 | 0x20) >= 0x61 && $0 != UInt8(ascii: "\\") }
      return !letters.isEmpty && name.dropFirst(letters.count).first == UInt8(ascii: "\\")
    }

    private mutating func addCommand(_ text: String) { result += "\\" + text }

    private mutating func addCommand(_ name: String, _ groups: [Int]) {
      addCommand(name)
      for group in groups { addGroup(group) }
    }

    private mutating func addGroup(_ node: Int) {
      result += "{"
      add(node)
      result += "}"
    }

    /// Returns the only element in nested rows, or the node itself.
    private func unwrapped(_ node: Int) -> Int {
      var node = node
      while ["mrow", "mstyle", "mpadded"].contains(tree.name(of: node)) {
        let parts = tree.elements(in: node)
        guard parts.count == 1 else { break }
        node = parts[0]
      }
      return node
    }

    private func showsText(_ node: Int) -> Bool {
      tree.descendants(of: node).contains { !tree.nodes[$0].text.allSatisfy(\.isWhitespace) }
    }

    /// Whether TeX needs no braces around a node as a base or as a script.
    private func isSingle(_ node: Int) -> Bool {
      ["mi", "mn", "mo"].contains(tree.name(of: node)) && tree.beginning(of: node).count == 1
        && tree.beginning(of: node).utf8.allSatisfy(\.isWordByte)
    }

    // MARK: - Structures

    private mutating func addScripts(_ base: Int, _ lower: Int?, _ upper: Int?) {
      let base = unwrapped(base)
      switch tree.name(of: base) {
      case "mo": addSigns(tree.text(of: base))
      case "mi", "mn", "mfenced": add(base)
      default: addGroup(base)
      }
      for (sign, script) in [("_", lower), ("^", upper)] {
        guard let script = script.map(unwrapped), showsText(script) else { continue }
        result += sign
        isSingle(script) ? add(script) : addGroup(script)
      }
    }

    private func isLarge(_ node: Int) -> Bool {
      let text = tree.text(of: node)
      return "∑∏∐∫∮⋂⋃⋁⋀".contains(text) || Self.functions.contains(text)
    }

    private static let accents = [
      "¯": "overline", "‾": "overline", "\u{304}": "overline", "^": "hat", "ˆ": "hat", "~": "tilde",
      "˜": "tilde", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "⏞": "overbrace",
    ]

    private mutating func addOver(_ base: Int, _ upper: Int) {
      if let accent = Self.accents[tree.text(of: upper)] { return addCommand(accent, [base]) }
      isLarge(base) ? addScripts(base, nil, upper) : addCommand("overset", [upper, base])
    }

    private static let matrices = ["(": "pmatrix", "[": "bmatrix", "|": "vmatrix", "{": "Bmatrix"]

    private mutating func addFences(_ node: Int, _ parts: [Int]) {
      let open = tree.attribute("open", of: node) ?? "("
      let close = tree.attribute("close", of: node) ?? ")"
      let inner = parts.count == 1 ? unwrapped(parts[0]) : node
      if tree.name(of: inner) == "mtable", let name = Self.matrices[open],
        ["()", "[]", "||", "{}"].contains(open + close)
      {
        return addTable(tree.elements(in: inner), named: name)
      }
      let separators = Array((tree.attribute("separators", of: node) ?? ",").filter { $0 != " " })
      addSigns(open)
      for (index, part) in parts.enumerated() {
        if index > 0, let last = separators.last {
          addSigns(String(index <= separators.count ? separators[index - 1] : last))
        }
        add(part)
      }
      addSigns(close)
    }

    private mutating func addTable(_ rows: [Int], named name: String) {
      addCommand("begin{\(name)}")
      for (index, row) in rows.enumerated() {
        if index > 0 { result += " \\\\ " }
        var cells = tree.elements(in: row)
        while let last = cells.last, !showsText(last) { cells.removeLast() }
        for (column, cell) in cells.enumerated() {
          if column > 0 { result += " & " }
          addChildren(of: cell)
        }
      }
      addCommand("end{\(name)}")
    }
  }

  /// Returns a text with a backslash before the signs that TeX reads as commands.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "{", "}", "%", "&", "#", "_", "$": result += "\\" + String(character)
      case "\\": result += "\\backslash "
      case "^": result += "\\hat{}"
      case "~": result += "\\sim "
      default: result.append(character)
      }
    }
    return result
  }
}
