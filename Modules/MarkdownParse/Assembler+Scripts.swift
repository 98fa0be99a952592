import Model

// Superscript and subscript text.
extension Assembler {
  /// The text between two tags.
  struct ScriptText {
    var text: [Unicode.Scalar] = []
    /// Whether the text is complete and contains nothing but characters and styles.
    var isSimple = false
  }

  /// Returns the text between a tag and its closing tag at `end`, up to `ScriptForm.longest` bytes.
  /// O(`ScriptForm.longest`).
  func scriptText(
    in marks: ArraySlice<(range: Range<Int>, mark: Mark)>, from tag: Range<Int>, to end: Int,
    _ scan: InlineScan, _ content: Bytes
  ) -> ScriptText {
    var found = ScriptText()
    guard !content[tag].contains(Byte.lineFeed) else { return found }
    let limit = tag.upperBound + ScriptForm.longest
    let isShort = end <= limit
    let end = min(end, limit)
    var position = tag.upperBound
    func append(_ range: Range<Int>) {
      guard !range.isEmpty else { return }
      found.text += String(decoding: content[range], as: UTF8.self).unicodeScalars
    }
    for (range, mark) in marks {
      append(min(position, end)..<max(min(position, end), min(range.lowerBound, end)))
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
    found.isSimple = isShort
    return found
  }

  /// Whether the leaf's text so far ends with a character other than a space.
  var isAttached: Bool {
    guard blanks.pending == nil, writer.nextOffset > leafStart, let last = writer.utf8.last else {
      return false
    }
    return !last.isSpace
  }

  /// Whether the leaf's text so far ends with a character other than a space, an opening bracket or
  /// an opening quotation mark.
  private var isAtWord: Bool {
    isAttached
      && !writer.utf8.withUnsafeBufferPointer { ScriptForm.opens($0.scalar(before: $0.count)) }
  }

  /// Writes a space for a closing tag that is directly between two words. Returns false for any
  /// other tag.
  private mutating func endWords(_ closing: Range<Int>, _ content: Bytes, _ leaf: LeafText) -> Bool
  {
    guard isAttached, !content[closing].contains(Byte.lineFeed),
      ScriptForm.continuesWord(content.scalar(at: closing.upperBound))
    else { return false }
    writer.atomic(Byte.space, source: leaf.source(closing).bytes)
    return true
  }

  /// Begins the text of a superscript or subscript tag.
  mutating func begin(
    _ letters: ScriptLetters, to end: Int, with tag: Range<Int>, _ found: ScriptText,
    _ leaf: LeafText
  ) {
    let source = leaf.source(tag).bytes
    let form = ScriptForm(
      found.text, letters, isAttached: isAttached, isAtWord: isAtWord && script == nil,
      isSimple: found.isSimple && script == nil)
    switch form {
    case .plain: return writeTag(source)
    case .apart: writer.atomic(Byte.space, source: source)
    case .shifted:
      writeTag(source)
      writer.script = letters
    case .signed(let inBrackets): write(letters, inBrackets: inBrackets, source)
    }
    script = (form, end)
  }

  /// Ends the text of a superscript or subscript tag.
  mutating func endScript(with tag: Range<Int>, _ content: Bytes, _ leaf: LeafText) {
    let source = leaf.source(tag).bytes
    switch script?.form {
    case .signed(inBrackets: true): writer.atomic(UInt8(ascii: ")"), source: source)
    case .apart where endWords(tag, content, leaf): break
    default: writeTag(source)
    }
    writer.script = nil
    script = nil
  }

  /// Writes the sign `^` or `_`, and an opening parenthesis if needed, before text that cannot be
  /// written in superscript or subscript characters.
  mutating func write(_ letters: ScriptLetters, inBrackets: Bool, _ source: Range<Int>) {
    if !inBrackets, source.count == 1, bytes[source.lowerBound] == letters.sign {
      writer.verbatim(source)
    } else {
      writer.atomic([letters.sign] + (inBrackets ? [UInt8(ascii: "(")] : []), source: source)
    }
  }

  /// Writes the text of `^text^` or `~text~` in its `ScriptForm`.
  mutating func write(
    _ text: Range<Int>, _ letters: ScriptLetters, of atom: Range<Int>, _ content: Bytes,
    _ leaf: LeafText
  ) {
    let scalars = Array(String(decoding: content[text], as: UTF8.self).unicodeScalars)
    let form = ScriptForm(
      scalars, letters, isAttached: true, isAtWord: isAtWord, isSimple: true)
    let open = leaf.source(atom.lowerBound..<text.lowerBound).bytes
    let close = leaf.source(text.upperBound..<atom.upperBound).bytes
    if case .signed(let inBrackets) = form {
      write(letters, inBrackets: inBrackets, open)
      writer.verbatim(leaf.source(text).bytes)
      guard !inBrackets else {
        return writer.atomic(UInt8(ascii: ")"), source: close)
      }
    } else if case .apart = form {
      writer.atomic(Byte.space, source: open)
      writer.verbatim(leaf.source(text).bytes)
      if endWords(text.upperBound..<atom.upperBound, content, leaf) { return }
    } else {
      hide(open)
      if case .shifted = form { writer.script = letters }
      writer.verbatim(leaf.source(text).bytes)
      writer.script = nil
    }
    hide(close)
  }
}
