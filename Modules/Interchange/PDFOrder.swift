/// The input of `diple-pdf`, which reads the annotations of a PDF file, as JSON.
package struct PDFOrder: Codable, Hashable, Sendable {
  /// The absolute path of the file.
  package var path: String

  package init(_ path: String) { self.path = path }

  /// The name of the order's file in the folder that is passed to `diple-pdf`, and its largest size
  /// in bytes.
  package static let fileName = "order.json"
  package static let sizeLimit = 1 << 16
  /// The maximum time of reading, in seconds.
  package static let seconds = 60
}

/// The annotations of a PDF file, in page order.
package struct PDFAnnotationList: Codable, Hashable, Sendable {
  /// Marked text with its note, or a note beside a line of text.
  package struct Annotation: Codable, Hashable, Sendable {
    /// The annotation's name in the file, which is unique on its page; empty if it has none. Many
    /// programs use the same names in every file.
    package var id: String
    /// The marked text, or the line beside a note.
    package var quote: String
    /// The text before and after the quote on the page.
    package var prefix: String
    package var suffix: String
    package var note: String
    /// The colour as `#rrggbb`; empty if the annotation has none.
    package var color: String
    /// The page as the file names it: a number or, for instance, a Roman numeral.
    package var page: String
    /// The time of the last change in the file's notation, `D:20230127055646Z`; empty if unknown.
    package var changed: String

    package init(
      id: String, quote: String, prefix: String, suffix: String, note: String, color: String,
      page: String, changed: String
    ) {
      (self.id, self.quote, self.prefix, self.suffix) = (id, quote, prefix, suffix)
      (self.note, self.color, self.page, self.changed) = (note, color, page, changed)
    }
  }

  /// Identifies the JSON of this list.
  package static let format = "diple.pdf-annotations/1"

  package var format = Self.format
  package var title = ""
  package var author = ""
  /// The digest of the file's text, which annotations don't change; empty without annotations.
  package var textDigest = ""
  /// The permanent identifier that the file contains, in hexadecimal digits; empty if it has none.
  /// Some programs keep it in files that they divide.
  package var fileID = ""
  package var annotations: [Annotation] = []
  /// The reasons why other annotations are not in the list, such as drawings, one for each.
  package var skipped: [String] = []

  package init() {}

  /// The maximum number of annotations that are read.
  package static let mostAnnotations = 20_000
}

/// The output of `diple-pdf`, as JSON.
package struct PDFAnswer: Codable, Hashable, Sendable {
  package var problem: FetchAnswer.Problem?
  package var list: PDFAnnotationList?

  package init(_ list: PDFAnnotationList) { self.list = list }
  package init(problem: FetchAnswer.Problem) { self.problem = problem }

  package static let fileName = "answer.json"
  package static let sizeLimit = 64 << 20
}
