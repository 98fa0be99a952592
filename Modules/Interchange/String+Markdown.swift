extension StringProtocol {
  /// A line of text that Markdown shows as it is: what would begin or end something has a backslash.
  public var escapedForMarkdown: String {
    var text = String(self)
    return text.withUTF8 { bytes in
      let digits = bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 8)
      for (index, byte) in bytes.enumerated() {
        let isSpecial: Bool
        switch UnicodeScalar(byte) {
        case "\\", "`", "*", "_", "[", "]", "<", ">", "#", "|", "~", "=", "$": isSpecial = true
        // A list begins at the start of a line alone.
        case "-", "+": isSpecial = index == 0
        case ".", ")": isSpecial = digits > 0 && index == digits
        default: isSpecial = false
        }
        if isSpecial { result.append(UInt8(ascii: "\\")) }
        result.append(byte)
      }
      return String(decoding: result, as: UTF8.self)
    }
  }
}
