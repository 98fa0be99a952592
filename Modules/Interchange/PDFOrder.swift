/// The input of `diple-pdf`, as JSON. The program reads the annotations of a PDF file, or writes
/// highlights into one.
package struct PDFOrder: Codable, Hashable, Sendable {
  /// The absolute path of the file.
  package var path: String
  /// The highlights to write; nil to read the annotations.
  package var marking: PDFMarking?

  package init(_ path: String, marking: PDFMarking? = nil) {
    (self.path, self.marking) = (path, marking)
  }

  /// The name of the order's file in the folder that is passed to `diple-pdf`, and its largest size
  /// in bytes.
  package static let fileName = "order.json"
  package static let sizeLimit = 64 << 20
  /// The name of the file with the highlights, in the same folder, and its largest size in bytes.
  package static let markedName = "marked.pdf"
  package static let markedLimit = 512 << 20
  /// The maximum time of reading or writing, in seconds.
  package static let seconds = 60
}

/// Highlights to write into a PDF file, in which their passages are links with the addresses
/// `diple-mark:0-2_1`: the indices of the highlights, and that of the passage's own link, if it has
/// one.
package struct PDFMarking: Codable, Hashable, Sendable {
  /// A highlight that becomes an annotation on each of its pages.
  package struct Mark: Codable, Hashable, Sendable {
    /// The annotation's name in the file: ``names`` and the highlight's id. On further pages of the
    /// highlight, `/2` and so on follow.
    package var id: String
    /// The words of the passage in the library, and those before and after it. The text of a page
    /// can differ, for instance in the numbers of footnotes.
    package var quote: String
    package var prefix: String
    package var suffix: String
    /// The colour, `0xRRGGBB`.
    package var color: UInt32
    /// The text of the annotation: the note and the tags.
    package var contents: String
    /// The author of the annotation; empty if unknown.
    package var author: String
    /// The time of the last change in the notation of PDF, `D:20230127055646Z`; empty if unknown.
    package var changed: String
    /// The letters at the end of the passage that refer to the list of notes; empty for none.
    package var label: String
    /// Whether the passage is in a script from right to left, so that it ends at the left.
    package var isRightToLeft: Bool

    package init(
      id: String, quote: String, prefix: String, suffix: String, color: UInt32, contents: String,
      author: String, changed: String, label: String, isRightToLeft: Bool
    ) {
      (self.id, self.quote, self.prefix, self.suffix) = (id, quote, prefix, suffix)
      (self.color, self.contents, self.author) = (color, contents, author)
      (self.changed, self.label, self.isRightToLeft) = (changed, label, isRightToLeft)
    }
  }

  /// The beginning of the names of annotations that Diple writes.
  package static let names = "urn:diple:"

  /// The beginning of the addresses of the passages.
  package var scheme: String
  package var marks: [Mark]
  /// The addresses of the links in the passages.
  package var links: [String]

  package init(scheme: String, marks: [Mark], links: [String]) {
    (self.scheme, self.marks, self.links) = (scheme, marks, links)
  }
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
    /// The highlight that Diple wrote as this annotation; nil for others.
    package var original: Original?

    package init(
      id: String, quote: String, prefix: String, suffix: String, note: String, color: String,
      page: String, changed: String
    ) {
      (self.id, self.quote, self.prefix, self.suffix) = (id, quote, prefix, suffix)
      (self.note, self.color, self.page, self.changed) = (note, color, page, changed)
    }
  }

  /// A highlight as Diple wrote it.
  package struct Original: Codable, Hashable, Sendable {
    package var quote: String
    package var prefix: String
    package var suffix: String
    /// The note with the tags, and the colour as `#rrggbb`, at the time of the export.
    package var note: String
    package var color: String

    package init(quote: String, prefix: String, suffix: String, note: String, color: String) {
      (self.quote, self.prefix, self.suffix) = (quote, prefix, suffix)
      (self.note, self.color) = (note, color)
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
  /// The number of highlights that are on no page; nil if the order was to read annotations.
  package var unplaced: Int?

  package init(_ list: PDFAnnotationList) { self.list = list }
  package init(unplaced: Int) { self.unplaced = unplaced }
  package init(problem: FetchAnswer.Problem) { self.problem = problem }

  package static let fileName = "answer.json"
  package static let sizeLimit = 64 << 20
}
