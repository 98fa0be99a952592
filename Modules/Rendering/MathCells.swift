import MarkdownParse
import Model

/// TeX with symbols, superscripts and subscripts instead of commands.
///
/// The document's text remains TeX, and each piece has the range that it replaces. Text outside the
/// pieces is shown unchanged.
struct MathCells {
  /// A character, and the range of the text that it replaces.
  struct Piece: Equatable {
    var text: Character
    var range: Range<Int>
  }

  private let units: ArraySlice<UInt16>
  /// Whether the range ends inside a command, so that the next letter belongs to the command.
  private let isCut: Bool
  private var index: Int
  private(set) var pieces: [Piece] = []

  /// The maximum length of a command or a group in braces, in UTF-16 units.
  private static let longest = 64

  /// Finds the pieces in a range of TeX. O(units).
  ///
  /// - Parameters:
  ///   - units: the whole text.
  ///   - range: the range of the TeX.
  init(_ units: [UInt16], _ range: Range<Int>) {
    self.units = units[range]
    isCut = range.upperBound < units.count && Self.isLetter(units[range.upperBound])
    index = range.lowerBound
    // Letters at the start that belong to a command before the range are skipped.
    while index < range.upperBound, index > 0, Self.isLetter(units[index]),
      Self.isInCommand(units, index)
    { skip() }
    while index < range.upperBound { next() }
  }

  private static func isInCommand(_ units: [UInt16], _ place: Int) -> Bool {
    var start = place
    while start > 0, place - start < longest, isLetter(units[start - 1]) { start -= 1 }
    return start > 0 && units[start - 1] == 0x5C
  }

  private static func isLetter(_ unit: UInt16) -> Bool { (unit | 0x20) &- 0x61 < 26 }

  private mutating func skip() { index += 1 }

  private mutating func next() {
    switch units[index] {
    case 0x5C: command()
    case 0x5E: script(.raised)
    case 0x5F: script(.lowered)
    default: skip()
    }
  }

  // MARK: - Commands

  /// Returns the end of the command at an offset; nil if the range cuts it off.
  private func commandEnd(_ start: Int) -> Int? {
    var end = start + 1
    while end < units.endIndex, Self.isLetter(units[end]) { end += 1 }
    if end == start + 1 { return end < units.endIndex ? end + 1 : nil }
    return end == units.endIndex && isCut || end - start > Self.longest ? nil : end
  }

  private func string(_ range: Range<Int>) -> String {
    String(units: units[range])
  }

  private mutating func command() {
    guard let end = commandEnd(index) else { return skip() }
    let name = string(index + 1..<end)
    if let symbol = Self.symbols[name] {
      pieces.append(Piece(text: symbol, range: index..<end))
      index = end
    } else if Self.operators.contains(name) {
      show(name, from: index, at: index + 1)
      index = end
    } else if name == "mathbb", let group = group(at: end), group.count == 1,
      let letter = Self.doubleStruck[units[group.lowerBound]]
    {
      pieces.append(Piece(text: letter, range: index..<group.upperBound + 1))
      index = group.upperBound + 1
    } else if Self.upright.contains(name), let group = group(at: end), !group.isEmpty,
      units[group].allSatisfy({ 32..<127 ~= $0 && $0 != 0x5C })
    {
      show(string(group), from: index, at: group.lowerBound)
      pieces[pieces.count - 1].range =
        pieces[pieces.count - 1].range.lowerBound..<group.upperBound + 1
      index = group.upperBound + 1
    } else {
      index = end
    }
  }

  /// Shows characters unchanged. The range of the first one begins at `start`.
  private mutating func show(_ text: String, from start: Int, at place: Int) {
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      let first = offset == 0 ? start : place + offset
      pieces.append(Piece(text: Character(scalar), range: first..<place + offset + 1))
    }
  }

  /// Returns the content of the braces that open at an offset. Nil if it contains other braces or
  /// is longer than `longest`.
  private func group(at start: Int) -> Range<Int>? {
    guard start < units.endIndex, units[start] == 0x7B else { return nil }
    let limit = min(units.endIndex, start + Self.longest)
    for place in start + 1..<max(start + 1, limit) {
      if units[place] == 0x7D { return start + 1..<place }
      if units[place] == 0x7B { return nil }
    }
    return nil
  }

  // MARK: - Superscripts and subscripts

  private mutating func script(_ letters: ScriptLetters) {
    let start = index
    let group = group(at: start + 1)
    var place = group?.lowerBound ?? start + 1
    let end = group?.upperBound ?? units.endIndex
    var shown: [Piece] = []
    while place < end {
      var length = 1
      var scalar = Unicode.Scalar(units[place])
      if units[place] == 0x5C {
        guard let command = commandEnd(place), command <= end,
          let symbol = Self.symbols[string(place + 1..<command)]
        else { return skip() }
        length = command - place
        scalar = symbol.unicodeScalars.count == 1 ? symbol.unicodeScalars.first : nil
        // `^\circ` is shown as a degree sign.
        if letters == .raised, symbol == "∘", shown.isEmpty, group == nil || command == end {
          shown = [Piece(text: "°", range: start..<command)]
          place = command
          break
        }
      }
      guard let form = scalar.flatMap({ letters.form(of: $0) }) else { return skip() }
      shown.append(
        Piece(text: Character(form), range: (shown.isEmpty ? start : place)..<place + length))
      place += length
      if group == nil { break }
    }
    guard !shown.isEmpty else { return skip() }
    if group != nil {
      shown[shown.count - 1].range = shown[shown.count - 1].range.lowerBound..<place + 1
      place += 1
    }
    pieces += shown
    index = place
  }

  // MARK: - Names of commands

  private static let operators: Set<String> = [
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
    "log", "ln", "exp", "lim", "max", "min", "sup", "inf", "det", "dim", "ker", "gcd", "deg", "arg",
    "Pr",
  ]

  /// The commands whose argument is shown unchanged.
  private static let upright: Set<String> = ["text", "mathrm", "operatorname", "textrm"]

  private static let doubleStruck: [UInt16: Character] = Dictionary(
    uniqueKeysWithValues: zip("CHNPQRZ".utf16, "ℂℍℕℙℚℝℤ"))

  private static let symbols: [String: Character] = {
    let names = """
      alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι \
      kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ \
      upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π \
      Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω \
      leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ \
      prec ≺ succ ≻ perp ⊥ parallel ∥ mid ∣ doteq ≐ \
      in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ \
      varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ \
      top ⊤ bot ⊥ vdash ⊢ models ⊨ therefore ∴ because ∵ \
      to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ implies ⟹ \
      iff ⟺ Leftrightarrow ⇔ uparrow ↑ downarrow ↓ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ \
      hookrightarrow ↪ rightharpoonup ⇀ nearrow ↗ searrow ↘ \
      times × div ÷ cdot ⋅ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ \
      odot ⊙ dagger † ddagger ‡ \
      sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ partial ∂ nabla ∇ infty ∞ \
      ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ prime ′ angle ∠ triangle △ square □ \
      langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lVert ‖ rVert ‖ \
      hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ degree ° \
      { { } } % % $ $ # # & & _ _ | ‖
      """
    let words = names.split(separator: " ")
    var table: [String: Character] = [:]
    for place in stride(from: 0, to: words.count - 1, by: 2) {
      table[String(words[place])] = words[place + 1].first
    }
    return table
  }()
}
