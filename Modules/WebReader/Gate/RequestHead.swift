/// The head of a request as it came: nothing of it is believed yet.
package struct RequestHead: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// What is asked for, as it stands in the request's first line.
  package var target: String
  /// The version of HTTP, such as `1.1`.
  package var version: String
  /// The fields in their order; names are compared without case.
  package var fields: [(name: String, value: String)]

  /// Makes a head of its parts.
  package init(
    method: String, target: String, version: String = "1.1",
    fields: [(name: String, value: String)]
  ) {
    (self.method, self.target, self.version) = (method, target, version)
    self.fields = fields
  }

  /// The values of all fields with a name, which is written in lower case.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The value of a field that may stand there once; nil where it does not, or more than once.
  func value(_ name: String) -> String? {
    let values = values(name)
    return values.count == 1 ? values[0] : nil
  }

  /// About how many bytes it has.
  var size: Int {
    fields.reduce(method.utf8.count + target.utf8.count + 12) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 4
    }
  }

  /// How many bytes follow, as its fields say; nil where that is no number.
  package var bodyLength: Int? {
    guard let text = value("content-length") else { return 0 }
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  /// Whether a browser asks for a page that it shows by itself, and no script of a page for its answer.
  var wantsPage: Bool {
    method == "GET" && values("accept").contains { $0.contains("text/html") }
      && !target.hasPrefix("/api/")
  }

  /// Whether it asks for something to be changed.
  var isUnsafe: Bool { method != "GET" }
}
