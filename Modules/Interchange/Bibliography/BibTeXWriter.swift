import Model

/// Writes entries that both BibTeX and BibLaTeX can read.
enum BibTeXWriter {
  /// Returns one entry. Variables without a field in BibTeX are left out; of `custom`, only fields
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
    add("urldate", source.date(.accessed)?.description ?? "")
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
      for (field, value) in kept.sorted(by: { $0.key < $1.key }) {
        add(field, balanced(value.text))
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
    text.replacing("{", with: "%7B").replacing("}", with: "%7D").replacing("\\", with: "%5C")
  }

  /// Returns a LaTeX value unchanged, or escaped if its braces are not balanced.
  private static func balanced(_ text: String) -> String {
    var depth = 0
    var isEscaped = false
    for letter in text {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch letter {
      case "\\": isEscaped = true
      case "{": depth += 1
      case "}": depth -= 1
      default: break
      }
      if depth < 0 { break }
    }
    return depth == 0 && !isEscaped ? text : LaTeXText.escaped(text)
  }

  /// Returns a key without the characters that would end it.
  private static func key(_ key: String) -> String {
    let plain = key.filter { !$0.isWhitespace && !"\"#%'(),={}@\\~".contains($0) }
    return plain.isEmpty ? "source" : plain
  }
}
