import Model

/// Writes entries that both BibTeX and BibLaTeX can read.
enum BibTeXWriter {
  /// Returns one entry. Variables without a field in BibTeX are omitted; of `custom`, only fields
  /// that were read from BibTeX are written.
  static func entry(_ source: Source, key: String) -> String {
    let kind = source.kind
    let entry = BibTeXFields.kinds.first { $0.kind == kind }?.entry ?? "misc"
    var fields: [(String, String)] = []
    for (field, variable) in BibTeXFields.names where source[variable] != nil {
      fields.append((field, source.names(variable).map(person).joined(separator: " and ")))
    }
    func add(_ field: String, _ value: String) {
      if !value.isEmpty, !fields.contains(where: { $0.0 == field }) {
        fields.append((field, value))
      }
    }
    add("title", title(source.text(.title)))
    let container = source.text(.container)
    if entry == "article" {
      add("journal", title(container))
    } else if entry == "online" || entry == "misc" {
      add("organization", LaTeXText.escaped(container))
    } else {
      add("booktitle", title(container))
    }
    if let date = source.date(.issued) {
      // BibTeX reads years and months; BibLaTeX reads these and dates.
      if let year = date.year {
        add("year", "\(year)")
        if let month = date.month { add("month", BibTeXFields.monthNames[month - 1]) }
        if let day = date.day { add("day", "\(day)") }
      } else {
        add("year", LaTeXText.escaped(date.words))
      }
    }
    add("urldate", LaTeXText.escaped(source.date(.accessed)?.description ?? ""))
    add(
      "pages",
      LaTeXText.escaped(source.text(.page)).replacing("–", with: "-").replacing("-", with: "--"))
    add("number", LaTeXText.escaped(source.text(.issue)))
    add("number", LaTeXText.escaped(source.text(Source.Variable(rawValue: "number")!)))
    for (field, variable) in BibTeXFields.texts {
      guard BibTeXFields.texts.first(where: { $0.variable == variable })?.field == field else {
        continue
      }
      let text = source.text(variable)
      switch variable {
      case .url, .doi: add(field, address(text))
      case .publisher: add(publisherField(entry), LaTeXText.escaped(text))
      default: add(field, LaTeXText.escaped(text))
      }
    }
    if case .object(let kept) = source[BibTeXFields.custom]?["bibtex"] ?? .null {
      for (field, value) in kept.sorted(by: { $0.key < $1.key }) where isFieldName(field) {
        add(field, inert(value.text))
      }
    }
    let lines = fields.map { name, value in
      // A month is one of BibTeX's predefined abbreviations and not a text.
      name == "month" ? "  month = \(value),\n" : "  \(name) = {\(value)},\n"
    }
    return "@\(entry){\(self.key(key)),\n\(lines.joined())}\n"
  }

  private static func publisherField(_ entry: String) -> String {
    switch entry {
    case "phdthesis": "school"
    case "techreport": "institution"
    case "online", "misc": "publisher"
    default: "publisher"
    }
  }

  private static func person(_ name: PersonName) -> String {
    if name.isLiteral {
      let text = LaTeXText.escaped(name.family)
      return name.family.contains(" ") || name.family.contains(",") ? "{\(text)}" : text
    }
    return LaTeXText.escaped(name.inverted)
  }

  /// Returns a title in which words with inner capitals are in braces, because many styles would
  /// change them to lower case.
  private static func title(_ text: String) -> String {
    text.split(separator: " ").map { word in
      let written = LaTeXText.escaped(String(word))
      return word.dropFirst().contains(where: \.isUppercase) ? "{\(written)}" : written
    }.joined(separator: " ")
  }

  /// Returns an address with braces and backslashes percent-encoded, because they could end the
  /// value.
  private static func address(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "{": result += "%7B"
      case "}": result += "%7D"
      case "\\": result += "%5C"
      case "^": result += "%5E"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isFieldName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x5F].contains($0)
      }
  }

  /// Returns a LaTeX value unchanged if its braces are balanced and all of its commands are for
  /// letters, signs and styles; otherwise its plain text, escaped. The author of a library may have
  /// written the value, and other commands of LaTeX can read files or run programs.
  private static func inert(_ text: String) -> String {
    isBalanced(text) && LaTeXText.hasHarmlessCommands(text)
      ? text : LaTeXText.escaped(LaTeXText.plain(text))
  }

  private static func isBalanced(_ text: String) -> Bool {
    var depth = 0
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth < 0 { return false }
    }
    return depth == 0 && !isEscaped
  }

  /// Returns a key without the characters that would end it.
  private static func key(_ key: String) -> String {
    let reserved = "\"#%'(),={}@\\~^".unicodeScalars
    let plain = key.unicodeScalars.filter { !$0.properties.isWhitespace && !reserved.contains($0) }
    return plain.isEmpty ? "source" : String(plain)
  }
}
