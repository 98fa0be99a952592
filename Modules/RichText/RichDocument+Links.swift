import Model

extension RichDocument {
  /// Removes the links that would run a program or open a file of the user, such as
  /// `javascript:` and `file:`, from the text and its notes. Their words stay, and `losses` gets
  /// their number. Called for every text that is read from another program or written for one.
  /// O(runs).
  package mutating func removeUnsafeLinks() {
    var removed = text.removeUnsafeLinks()
    for index in notes.indices { removed += notes[index].text.removeUnsafeLinks() }
    if removed > 0 { losses.append("links to programs and files: \(removed)") }
  }
}

extension RichDocument {
  /// Replaces the control characters of the text and its notes by visible ones, because the file
  /// formats of other programs do not allow them, and terminals react to them. O(units).
  package mutating func replaceControlCharacters() {
    text.replaceControlCharacters()
    for index in notes.indices { notes[index].text.replaceControlCharacters() }
    for index in highlights.indices {
      highlights[index].note = ControlCharacters.replaced(in: highlights[index].note)
    }
  }
}

extension AttributedText {
  fileprivate mutating func replaceControlCharacters() {
    for (index, unit) in units.enumerated() {
      if let symbol = ControlCharacters.symbol(for: unit) { units[index] = symbol }
    }
  }

  /// Removes the links that would run a program or open a file of the user.
  ///
  /// - Returns: their number.
  package mutating func removeUnsafeLinks() -> Int {
    let unsafe = characters.values(of: .link).filter { _, value in
      guard case .link(let address) = value else { return false }
      return !LinkSafety.isSafeElsewhere(address)
    }
    for (range, _) in unsafe { characters.update(range) { $0.applying([.clear(.link)]) } }
    return unsafe.count
  }
}
