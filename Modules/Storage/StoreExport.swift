import FoundationEssentials
import Model

/// Exports a whole library as lines of JSON. `Documentation/export-format.md` specifies the format.
package enum StoreExport {
  /// The version of the format.
  static let version = 1
  /// The start of the first line, which identifies the format.
  package static let beginning = #"{"diple":"library","#

  /// The names of the files beside the database that are exported with it.
  package static let fileNames: Set = ["config.toml", "library.ignore"]

  /// Passes each line of the export to `body`, without the line break. O(size), one row at a time.
  ///
  /// The export is one consistent state of the library. Other processes may use it meanwhile.
  ///
  /// - Parameters:
  ///   - library: the database file.
  ///   - files: the contents of the files beside it, by name.
  ///   - body: writes a line.
  /// - Throws: the error of `body`; ``StoreError``: `damaged` if a row contains an invalid value,
  ///   another if the library cannot be read.
  package static func forEachLine(
    of library: String, files: [String: String], _ body: (String) throws -> Void
  ) throws {
    do {
      let database = try StoreFile.openToRead(library)
      try database.transaction("DEFERRED") {
        var count = 0
        try body(beginning + #""version":\#(version),"schema":\#(Schema.version)}"#)
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
          try body(#"{"file":"\#(name)","text":\#(ExportText.quoted(text))}"#)
        }
        for shape in try TableShape.all(of: database) {
          let names = shape.columns.map(\.name)
          let order = shape.hasRowID ? "rowid" : names.first ?? ""
          try database.forEach(
            "SELECT \(names.joined(separator: ", ")) FROM \(shape.name) ORDER BY \(order)"
          ) { row in
            try body(try line(row, shape))
            count += 1
            return true
          }
        }
        try body(#"{"end":true,"rows":\#(count)}"#)
      }
    } catch let error as SQLiteError { throw StoreError(error, path: library) } catch let problem
      as BadValue
    { throw StoreError(problem, path: library) }
  }

  private static func line(_ row: DatabaseRow, _ shape: TableShape) throws -> String {
    var fields: [String] = []
    for (index, column) in shape.columns.enumerated() where !row.isNull(index) {
      // A stored text is exported uncompressed, as the field `text`, without its size.
      if shape.name == "snapshot", column.name == "size" { continue }
      if shape.name == "snapshot", column.name == "data" {
        let size = shape.columns.firstIndex { $0.name == "size" } ?? index
        guard let text = Compression.text(from: try row.data(index), size: try row.count(size))
        else { throw row.bad(index) }
        fields.append(#""text":\#(ExportText.quoted(text))"#)
        continue
      }
      let value =
        switch column.type {
        case "INTEGER": ExportText.number(try row.integer(index))
        case "REAL": "\(try row.real(index))"
        case "ANY": ExportText.quoted(try row.value(index).exported)
        case "BLOB": "\"" + (try row.data(index)).base64EncodedString() + "\""
        default: ExportText.quoted(try row.text(index))
        }
      fields.append("\"\(column.name)\":\(value)")
    }
    return #"{"table":"\#(shape.name)","row":{\#(fields.joined(separator: ","))}}"#
  }
}

/// Formats values for an export.
enum ExportText {
  /// The integers that every JSON parser can represent exactly. Other integers are exported as
  /// strings.
  private static let exact: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

  static func number(_ value: Int64) -> String {
    exact.contains(value) ? String(value) : "\"\(value)\""
  }

  static func quoted(_ text: String) -> String {
    String(decoding: (try? encoder.encode(text)) ?? Data(), as: UTF8.self)
  }

  fileprivate static let encoder = JSONEncoder.ordered()
}

extension Operation.Value {
  /// The value as JSON, which `init(stored:)` parses.
  fileprivate var exported: String {
    get throws { String(decoding: try ExportText.encoder.encode(self), as: UTF8.self) }
  }
}
