/// The input of `diple-fetch`, which converts a web page or a book to Markdown, as JSON.
package struct FetchOrder: Codable, Hashable, Sendable {
  /// The location of a page or a book.
  package enum Place: Codable, Hashable, Sendable {
    /// An HTTP or HTTPS address.
    case web(String)
    /// The absolute path of a file.
    case file(String)
    /// The name of a file in the order's folder, with a page that came without a name, such as
    /// from the clipboard.
    case text(String)
  }

  package var place: Place
  /// Whether the whole page is converted, rather than its main article.
  package var isWhole: Bool
  /// Whether hosts in private networks may be contacted.
  package var allowsPrivate: Bool
  /// The maximum time of fetching, in seconds.
  package var seconds: Int

  package init(_ place: Place, isWhole: Bool, allowsPrivate: Bool, seconds: Int) {
    self.place = place
    self.isWhole = isWhole
    self.allowsPrivate = allowsPrivate
    self.seconds = seconds
  }

  /// The maximum time of conversion after fetching, in seconds.
  package static let readingSeconds = 60
  /// The name of the order's file in the folder that is passed to `diple-fetch`.
  package static let fileName = "order.json"
  /// The maximum size of the file in bytes.
  package static let sizeLimit = 1 << 16
}

/// The output of `diple-fetch`, as JSON, in a file beside the converted files.
package struct FetchAnswer: Codable, Hashable, Sendable {
  /// The error that prevented the conversion.
  package struct Problem: Codable, Hashable, Sendable {
    /// The name of a code of `UserError`.
    package var code: String
    package var message: String
    package var hint: String?

    package init(code: String, _ message: String, hint: String? = nil) {
      (self.code, self.message, self.hint) = (code, message, hint)
    }
  }

  /// The metadata of the page or book. Unknown values are empty.
  package struct Origin: Codable, Hashable, Sendable {
    package var title = ""
    package var authors: [String] = []
    /// The date of publication in RFC 3339 format, or only its leading parts.
    package var date = ""
    package var site = ""
    package var publisher = ""
    package var language = ""
    package var isbn = ""
    /// The address of the page, or the address from which the book was fetched.
    package var url = ""

    package init() {}
  }

  /// A highlight of a text that Diple exported.
  package struct Highlight: Codable, Hashable, Sendable {
    /// The offset of the quote in the rendered text, in UTF-16 units.
    package var start: Int
    package var quote: String
    /// The name of the colour.
    package var color: String
    /// The comment with the letter of the colour, the note and the tags; empty if it has none.
    package var comment: String

    package init(start: Int, quote: String, color: String, comment: String) {
      (self.start, self.quote, self.color, self.comment) = (start, quote, color, comment)
    }
  }

  /// A Markdown file.
  package struct Text: Codable, Hashable, Sendable {
    /// The highlights of the text; nil or empty for texts that Diple did not export.
    package var highlights: [Highlight]?
    /// The name of the file in the order's folder.
    package var file: String
    /// The suggested name of the file, without a folder.
    package var name: String
    package var title: String

    package init(file: String, name: String, title: String) {
      (self.file, self.name, self.title) = (file, name, title)
    }
  }

  /// A picture that is shown in a text. It belongs in the folder `pictures`.
  package struct Picture: Codable, Hashable, Sendable {
    package var file: String
    package var name: String

    package init(file: String, name: String) { (self.file, self.name) = (file, name) }
  }

  package var problem: Problem?
  /// Whether the result is a book, which is stored in a separate folder.
  package var isBook = false
  package var origin = Origin()
  package var texts: [Text] = []
  package var pictures: [Picture] = []
  /// Messages for the user about content that was omitted.
  package var warnings: [String] = []

  package init() {}
  package init(problem: Problem) { self.problem = problem }

  /// The name of the answer's file in the same folder.
  package static let fileName = "answer.json"
  /// The maximum size of the answer's file in bytes.
  package static let sizeLimit = 16 << 20
  /// The maximum size of one text in bytes.
  package static let textLimit = 64 << 20
  /// The largest size in bytes of one picture and of all pictures together.
  package static let pictureLimit = 32 << 20
  package static let picturesLimit = 256 << 20
  /// The maximum number of texts and of pictures.
  package static let mostTexts = 2000
  package static let mostPictures = 4000
  /// The name of the folder of the pictures, beside the texts.
  package static let pictureFolder = "pictures"
}
