extension StringProtocol {
  /// The text without white space at its beginning and end. O(length).
  public var trimmed: String {
    let body = drop(while: \.isWhitespace)
    guard let last = body.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(body[...last])
  }
}
