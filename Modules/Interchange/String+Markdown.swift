extension StringProtocol {
  /// The line with Markdown's special characters escaped, so that it is rendered literally.
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
        // A list marker is special only at the start of a line.
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
