import Model

// Raised and lowered letters.
extension Assembler {
  /// What is shown between two tags.
  struct ScriptText {
    var text: [Unicode.Scalar] = []
    /// Whether it is text with styles, and nothing else.
    var isSimple = false
  }

  /// The text behind a tag, up to the one that ends it at `end`. O(`ScriptForm.longest`).
  func scriptText(
    in marks: ArraySlice<(range: Range<Int>, mark: Mark)>, from tag: Range<Int>, to end: Int,
    _ scan: InlineScan, _ content: Bytes
  ) -> ScriptText {
    var found = ScriptText()
    guard end - tag.upperBound <= ScriptForm.longest, !content[tag].contains(Byte.lineFeed) else {
      return found
    }
    var position = tag.upperBound
    func append(_ range: Range<Int>) {
      guard !range.isEmpty else { return }
      found.text += String(decoding: content[range], as: UTF8.self).unicodeScalars
    }
    for (range, mark) in marks {
      append(position..<max(position, min(range.lowerBound, end)))
      position = max(position, range.upperBound)
      if range.lowerBound >= end { break }
      switch mark {
      case .open(let index) where scan.spans[index].kind.isImage: return found
      case .open, .close: continue
      case .atom(let index):
        switch scan.atoms[index].kind {
        case .entity(let scalars): found.text += scan.scalars[scalars]
        case .escape: append(range.suffix(1))
        case .code(let inner), .math(let inner, _): append(inner)
        case .hidden: break
        case .rawHTML:
          switch tags[index] {
          case nil, .open, .close: break
          default: return found
          }
        default: return found
        }
      }
    }
    found.isSimple = true
    return found
  }

  /// Whether a letter or sign stands right before, in the leaf that begins at an offset.
  func isAttached(since start: Int) -> Bool {
    guard blanks.pending == nil, writer.nextOffset > start, let last = writer.utf8.last else {
      return false
    }
    return !last.isSpace
  }

  /// Begins what a tag raises or lowers.
  mutating func begin(
    _ letters: ScriptLetters, to end: Int, with tag: Range<Int>, _ found: ScriptText,
    isAttached: Bool, _ leaf: LeafText
  ) {
    let source = leaf.source(tag).bytes
    let form = ScriptForm(
      found.text, letters, isAttached: isAttached, isSimple: found.isSimple && script == nil)
    switch form {
    case .plain: return writeTag(source)
    case .shifted:
      writeTag(source)
      writer.script = letters
    case .signed(let inBrackets): write(letters, inBrackets: inBrackets, source)
    }
    script = (form, end)
  }

  /// Ends it.
  mutating func endScript(with tag: Range<Int>) {
    if case .signed(inBrackets: true) = script?.form {
      writer.atomic(UInt8(ascii: ")"), source: tag)
    } else {
      writeTag(tag)
    }
    writer.script = nil
    script = nil
  }

  /// Writes the sign before what has no raised or lowered form.
  mutating func write(_ letters: ScriptLetters, inBrackets: Bool, _ source: Range<Int>) {
    if !inBrackets, source.count == 1, bytes[source.lowerBound] == letters.sign {
      writer.verbatim(source)
    } else {
      writer.atomic([letters.sign] + (inBrackets ? [UInt8(ascii: "(")] : []), source: source)
    }
  }

  /// Writes `^text^` or `~text~`.
  mutating func write(
    _ text: Range<Int>, _ letters: ScriptLetters, of atom: Range<Int>, _ content: Bytes,
    _ leaf: LeafText
  ) {
    let scalars = Array(String(decoding: content[text], as: UTF8.self).unicodeScalars)
    let form = ScriptForm(scalars, letters, isAttached: true, isSimple: true)
    let open = leaf.source(atom.lowerBound..<text.lowerBound).bytes
    let close = leaf.source(text.upperBound..<atom.upperBound).bytes
    if case .signed(let inBrackets) = form {
      write(letters, inBrackets: inBrackets, open)
      writer.verbatim(leaf.source(text).bytes)
      guard !inBrackets else {
        return writer.atomic(UInt8(ascii: ")"), source: close)
      }
    } else {
      hide(open)
      if case .shifted = form { writer.script = letters }
      writer.verbatim(leaf.source(text).bytes)
      writer.script = nil
    }
    hide(close)
  }
}
