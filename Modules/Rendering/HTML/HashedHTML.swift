import Model

/// HTML output that hashes offsets relative to a block, so that two versions of the block can be
/// compared regardless of its position.
struct HashedHTML {
  private var html = ""
  /// The HTML written since the last offset.
  private var rest = ""
  private var hasher = Hasher()
  /// The start of the block in the text.
  let base: Int

  init(base: Int) { self.base = base }

  mutating func write(_ text: String) { rest += text }

  /// Writes an offset in the text.
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

  /// Returns the HTML, and a hash of it that is independent of the block's position.
  mutating func finish() -> (html: String, hash: Int) {
    settle()
    return (html, hasher.finalize())
  }
}
