/// What `diple-fetch` is asked to make Markdown of, as JSON.
package struct FetchOrder: Codable, Hashable, Sendable {
  /// Where a page or a book is.
  package enum Place: Codable, Hashable, Sendable {
    /// An address of http or https.
    case web(String)
    /// The absolute path of a file.
    case file(String)
  }

  package var place: Place
  /// Whether all of a page is wanted, and not only its article.
  package var isWhole: Bool
  /// Whether machines of this network may be asked.
  package var allowsPrivate: Bool
  /// The most seconds that fetching may take.
  package var seconds: Int

  package init(_ place: Place, isWhole: Bool, allowsPrivate: Bool, seconds: Int) {
    self.place = place
    self.isWhole = isWhole
    self.allowsPrivate = allowsPrivate
    self.seconds = seconds
  }

  /// How many seconds reading may take, after fetching.
  package static let readingSeconds = 60
  /// The file with the order, in the folder that `diple-fetch` is given.
  package static let fileName = "order.json"
  /// The most bytes of it.
  package static let sizeLimit = 1 << 16
}

/// What `diple-fetch` made, as JSON, beside the files.
package struct FetchAnswer: Codable, Hashable, Sendable {
  /// Why there is nothing.
  package struct Problem: Codable, Hashable, Sendable {
    /// One of the codes of `UserError`.
    package var code: String
    package var message: String
    package var hint: String?

    package init(code: String, _ message: String, hint: String? = nil) {
      (self.code, self.message, self.hint) = (code, message, hint)
    }
  }

  /// What the page or the book says of itself; empty where it says nothing.
  package struct Origin: Codable, Hashable, Sendable {
    package var title = ""
    package var authors: [String] = []
    /// RFC 3339, or only the first parts of it.
    package var date = ""
    package var site = ""
    package var publisher = ""
    package var language = ""
    package var isbn = ""
    /// The address of a page, or of where a book was fetched.
    package var url = ""

    package init() {}
  }

  /// A Markdown file.
  package struct Text: Codable, Hashable, Sendable {
    /// What it is called in the folder of the order.
    package var file: String
    /// What it is to be called; without a folder.
    package var name: String
    package var title: String

    package init(file: String, name: String, title: String) {
      (self.file, self.name, self.title) = (file, name, title)
    }
  }

  /// A picture that a text shows, which is to lie in the folder `pictures`.
  package struct Picture: Codable, Hashable, Sendable {
    package var file: String
    package var name: String

    package init(file: String, name: String) { (self.file, self.name) = (file, name) }
  }

  package var problem: Problem?
  /// Whether it is a book, with a folder of its own.
  package var isBook = false
  package var origin = Origin()
  package var texts: [Text] = []
  package var pictures: [Picture] = []
  /// What was left out, for the person.
  package var warnings: [String] = []

  package init() {}
  package init(problem: Problem) { self.problem = problem }

  /// The file with the answer, in the same folder.
  package static let fileName = "answer.json"
  /// The most bytes of it.
  package static let sizeLimit = 16 << 20
  /// The most bytes of one text.
  package static let textLimit = 64 << 20
  /// The most bytes of one picture, and of all.
  package static let pictureLimit = 32 << 20
  package static let picturesLimit = 256 << 20
  /// The most texts and pictures.
  package static let mostTexts = 2000
  package static let mostPictures = 4000
  /// The folder of the pictures, beside the texts.
  package static let pictureFolder = "pictures"
}
