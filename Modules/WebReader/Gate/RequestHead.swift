/// The head of an HTTP request, not validated yet.
package struct RequestHead: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The request target, as written in the request line.
  package var target: String
  /// The HTTP version, such as `1.1`.
  package var version: String
  /// The header fields in order. Names are case-insensitive.
  package var fields: [(name: String, value: String)]
  /// The network address of the client, without its port; empty if it isn't known.
  package var client: String

  package init(
    method: String, target: String, version: String = "1.1",
    fields: [(name: String, value: String)], client: String = ""
  ) {
    (self.method, self.target, self.version) = (method, target, version)
    (self.fields, self.client) = (fields, client)
  }

  /// Returns the values of all fields with a name, which must be in lower case.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// Returns the value of a field that must occur exactly once; otherwise nil.
  func value(_ name: String) -> String? {
    let values = values(name)
    return values.count == 1 ? values[0] : nil
  }

  /// The approximate size in bytes.
  var size: Int {
    fields.reduce(method.utf8.count + target.utf8.count + 12) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
  }

  /// The length of the body in bytes, 0 without a `Content-Length`, or nil if its value is invalid.
  package var bodyLength: Int? {
    guard let text = value("content-length") else { return 0 }
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// Whether a browser navigates to a page, as opposed to a request by a script.
  var wantsPage: Bool {
    method == "GET" && values("accept").contains { $0.contains("text/html") }
      && !target.hasPrefix("/api/")
  }

  /// Whether the request can make changes: every method except `GET`.
  var isUnsafe: Bool { method != "GET" }
}
