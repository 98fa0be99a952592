import Model

/// HTML in the making, whose numbers of the text's places are known apart, so that two versions of a
/// block can be compared without them.
struct HTMLPiece {
  private var html = ""
  /// What was written since the last place.
  private var rest = ""
  private var hasher = Hasher()
  /// Where the block begins in the text.
  let base: Int

  init(base: Int) { self.base = base }

  mutating func write(_ text: String) { rest += text }

  /// Writes a place in the text.
  mutating func write(place: Int) {
    settle()
    hasher.combine(place - base)
    html += String(place)
  }

  private mutating func settle() {
    hasher.combine(rest)
    html += rest
    rest = ""
  }

  /// The HTML, and what stands for it but for its place.
  mutating func finish() -> (html: String, hash: Int) {
    settle()
    return (html, hasher.finalize())
  }
}
