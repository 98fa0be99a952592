/// Text for front matter in YAML.
package enum YAMLText {
  /// Returns a YAML string in double quotation marks. Control characters become blanks; with
  /// `keepsLines`, line feeds are kept as `\\n`.
  package static func quoted(_ text: String, keepsLines: Bool = false) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n" where keepsLines: result += "\\n"
      case _
      where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar == "\u{FEFF}"
        || (0x2028...0x2029).contains(scalar.value):
        result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
