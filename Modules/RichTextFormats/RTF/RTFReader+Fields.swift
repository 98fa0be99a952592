import Model
import RichText

/// A field that is being read.
struct RTFOpenField {
  /// The field's instruction.
  var instruction: [UInt16] = []
  /// The length of the text before the field.
  var start: Int
  var form: RTFFormField?
  /// Whether the field's text is made of its instruction. Then its result is skipped.
  var replacesResult: Bool { RTFFormula.text(of: instruction) != nil }
}

/// The state of a field in a form.
struct RTFFormField {
  /// 0 for a text, 1 for a box to tick, 2 for a list of choices.
  var kind: Int32 = 0
  /// The state of the box, or the index of the choice; 25 if the user has made none.
  var result: Int32 = 25
  /// The state or choice unless the user makes another.
  var initial: Int32 = 0
  /// The choices.
  private var items: [[UInt16]] = []
  private var size = 0

  private var isFull: Bool { size >= 65_536 }

  mutating func beginItem() {
    if !isFull, items.count < 1_000 { items.append([]) }
  }

  mutating func add(_ unit: UInt16) {
    guard !items.isEmpty, !isFull else { return }
    items[items.count - 1].append(unit)
    size += 1
  }

  /// The text that shows the state; empty for a text, whose words are the field's result.
  var units: [UInt16] {
    let state = result == 25 ? initial : result
    switch kind {
    case 1: return [state == 1 ? 0x2612 : 0x2610]
    case 2: return items.indices.contains(Int(state)) ? items[Int(state)] : []
    default: return []
    }
  }
}

/// Reading fields whose result isn't in the file.
extension RTFReader {
  mutating func handleForm(_ word: RTFWord, _ value: Int32?) {
    guard let last = fields.indices.last else { return }
    switch word {
    case .formfield:
      guard group.destination == .instruction else { return }
      fields[last].form = RTFFormField()
      group.destination = .formField
    case .fftype: fields[last].form?.kind = value ?? 0
    case .ffres: fields[last].form?.result = value ?? 0
    case .ffdefres: fields[last].form?.initial = value ?? 0
    case .ffl:
      guard group.destination == .formField else { return }
      fields[last].form?.beginItem()
      group.destination = .formItem
    default: break
    }
  }

  /// Ends a field. A phonetic guide or formula becomes its text, and so does the state of a form
  /// field without a result.
  mutating func endField() {
    guard let field = fields.popLast() else { return }
    guard group.destination == .text, output.units.count == field.start else { return }
    for unit in RTFFormula.text(of: field.instruction) ?? field.form?.units ?? [] { addUnit(unit) }
  }
}

/// The text of EQ fields, in which Word stores formulas and phonetic guides.
struct RTFFormula {
  /// A part of a formula. A raised part over a base is its reading.
  private struct Part {
    var units: [UInt16] = []
    var isRaised = false
  }

  private static let depthLimit = 16
  private var rest: ArraySlice<UInt16>

  /// Returns the text of a field's instruction; nil if it isn't a formula. The reading of a phonetic
  /// guide is in parentheses after its base: `漢字(かんじ)`. O(instruction · depth limit).
  static func text(of instruction: [UInt16]) -> [UInt16]? {
    let blank = instruction.drop { $0 == 0x20 }
    guard blank.count > 3, blank.prefix(2).map({ $0 & ~0x20 }) == Array("EQ".utf16),
      blank[blank.startIndex + 2] == 0x20
    else { return nil }
    var formula = RTFFormula(rest: blank.dropFirst(3))
    var result: [UInt16] = []
    while !formula.rest.isEmpty {
      result += formula.part(0).units
      // A parenthesis or comma outside of arguments is text.
      if let unit = formula.rest.popFirst() { result.append(unit) }
    }
    let text = result.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
    return text.isEmpty ? nil : Array(text)
  }

  /// Parses up to the end of an argument.
  private mutating func part(_ depth: Int) -> Part {
    var part = Part()
    while let unit = rest.first {
      if unit == 0x5C {
        let inner = command(depth)
        part.isRaised = part.units.allSatisfy { $0 == 0x20 } && inner.isRaised
        part.units += inner.units
      } else if unit == 0x2C || unit == 0x3B || unit == 0x29 {
        return part
      } else {
        rest.removeFirst()
        part.units.append(unit)
      }
    }
    return part
  }

  /// Parses a command with its options and arguments, an escaped character, or a switch of the
  /// field such as `\* jc2`.
  private mutating func command(_ depth: Int) -> Part {
    var name = ""
    var isRaised = false
    while rest.first == 0x5C {
      rest.removeFirst()
      guard let unit = rest.first else { return Part() }
      if unit == 0x2A {
        skipSwitch()
        return Part()
      }
      let word = String(units: rest.prefix(8).prefix { Self.isLetter($0) })
      if word.isEmpty {
        rest.removeFirst()
        // The bracket of an option is not text.
        if name.isEmpty { return Part(units: [unit]) }
        continue
      }
      rest = rest.dropFirst(word.utf16.count)
      if name.isEmpty { name = word.lowercased() }
      isRaised = isRaised || word.lowercased() == "up"
      let number = rest.drop { $0 == 0x20 }.drop { $0 == 0x2D || 0x30...0x39 ~= $0 }
      let next = number.drop { $0 == 0x20 }
      if next.first == 0x28 || next.first == 0x5C { rest = next }
    }
    guard rest.first == 0x28, depth < Self.depthLimit else { return Part() }
    var arguments: [Part] = []
    repeat {
      rest.removeFirst()
      arguments.append(part(depth + 1))
    } while rest.first == 0x2C || rest.first == 0x3B
    if rest.first == 0x29 { rest.removeFirst() }
    return Self.joined(arguments, name, isRaised: isRaised)
  }

  private static func joined(_ arguments: [Part], _ name: String, isRaised: Bool) -> Part {
    func all(_ separator: String) -> Part {
      Part(units: Array(arguments.map(\.units).joined(separator: Array(separator.utf16))))
    }
    switch name {
    case "o" where arguments.count == 2 && arguments[0].isRaised != arguments[1].isRaised:
      let reading = arguments[0].isRaised ? 0 : 1
      return Part(
        units: arguments[1 - reading].units + [0x28] + arguments[reading].units + [0x29])
    case "f": return all("/")
    case "r": return arguments.count == 1 ? Part(units: [0x221A] + arguments[0].units) : all("√")
    case "b": return Part(units: [0x28] + all(", ").units + [0x29])
    case "a", "i", "l": return all(", ")
    default: return Part(units: all("").units, isRaised: isRaised)
    }
  }

  private static func isLetter(_ unit: UInt16) -> Bool { 0x61...0x7A ~= unit | 0x20 }

  /// Skips a switch with its value, which may be quoted.
  private mutating func skipSwitch() {
    rest = rest.dropFirst().drop { $0 == 0x20 }
    if rest.first == 0x22 {
      rest = rest.dropFirst().drop { $0 != 0x22 }.dropFirst()
    } else {
      rest = rest.drop { $0 != 0x20 && $0 != 0x5C }
    }
  }
}
