import Articles
import Glibc
package import Interchange
import Model
import SystemSupport

/// Fetches a page or a book, and writes it as Markdown files to a folder.
///
///     let fetcher = Fetcher(order, in: folder) { _, _ in
///     } giveUp: { problem in fatalError(problem.problem.message) }
///     let answer = try fetcher.run()
package struct Fetcher {
  private let order: FetchOrder
  private let folder: String
  /// Limits the private memory of the process, in bytes. The error is the answer if a page takes
  /// more.
  private let limitMemory: @Sendable (Int, FetchError) -> Void
  /// Writes an answer and exits. Called if the parser of pages exceeds its memory or time, in code
  /// that cannot throw.
  private let giveUp: @Sendable (FetchError) -> Never

  package init(
    _ order: FetchOrder, in folder: String,
    limitMemory: @escaping @Sendable (Int, FetchError) -> Void,
    giveUp: @escaping @Sendable (FetchError) -> Never
  ) {
    (self.order, self.folder) = (order, folder)
    (self.limitMemory, self.giveUp) = (limitMemory, giveUp)
  }

  private static let pageLimit = 20 << 20
  private static let bookLimit = 512 << 20

  /// Returns the maximum private memory for a page of a size, in bytes. For a page of more than 8
  /// MiB it is 8 times the size minus the memory that the program takes without a page, but at
  /// least 96 MiB. Otherwise it is 256 MiB, because many tags take more memory than text.
  package static func memory(for size: Int) -> Int {
    size > 8 << 20 ? max(96 << 20, 8 * size - (16 << 20)) : 256 << 20
  }

  /// The maximum number of tags of a page.
  private static let mostTags = 400_000

  /// Writes the files and returns their list.
  ///
  /// - Throws: `FetchError` if the page or book cannot be fetched, read or written.
  package func run() throws(FetchError) -> FetchAnswer {
    switch order.place {
    case .web(let address):
      let transfer = WebTransfer(allowsPrivate: order.allowsPrivate, seconds: order.seconds)
      let result = try transfer.fetch(address)
      if Self.isArchive(result.bytes[...]) {
        let path = folder.appending("book")
        do throws(SystemCallError) { try PrivateFile.make(path, containing: result.bytes) } catch {
          throw Self.unwritable(error)
        }
        return try readBook(path, from: result.address.text)
      }
      try requirePage(result.bytes, result.type, address)
      let (type, place) = (result.type, result.address)
      return try readPage(
        PageText.utf8((consume result).bytes, type: type), at: place, called: address)
    case .text(let file):
      let bytes: [UInt8]
      do throws(SystemCallError) {
        bytes = try Descriptor.contentOfRegularFile(folder.appending(file), limit: Self.pageLimit)
      } catch {
        if error.number == EFBIG {
          throw FetchError("usage", "the page is larger than \(Self.pageLimit >> 20) MiB")
        }
        throw FetchError("notFound", "cannot read the page: \(error)")
      }
      return try readPage(bytes, at: nil, called: "the page", titled: "Page")
    case .file(let path):
      let head: [UInt8]
      do throws(SystemCallError) { head = try Self.head(of: path) } catch {
        throw FetchError("notFound", "cannot read \(path): \(error)")
      }
      if Self.isArchive(head[...]) { return try readBook(path, from: "") }
      try requirePage(head, "", path)
      let bytes: [UInt8]
      do throws(SystemCallError) {
        bytes = try Descriptor.contentOfRegularFile(path, limit: Self.pageLimit)
      } catch {
        if error.number == EFBIG {
          throw FetchError("usage", "\(path) is larger than \(Self.pageLimit >> 20) MiB")
        }
        throw FetchError("notFound", "cannot read \(path): \(error)")
      }
      return try readPage(PageText.utf8(consume bytes), at: nil, called: path)
    }
  }

  private static func head(of path: String) throws(SystemCallError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemCallError() }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw SystemCallError() }
    return Array(bytes[..<count])
  }

  private static func isArchive(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }

  private static func unwritable(_ error: SystemCallError) -> FetchError {
    FetchError("conflict", "cannot write a temporary file: \(error)", hint: "free some space")
  }

  /// Refuses content that isn't a page, by its media type and its first bytes.
  private func requirePage(_ bytes: [UInt8], _ type: String, _ name: String) throws(FetchError) {
    let kind = type.prefix { $0 != ";" && $0 != " " }
    if bytes.starts(with: "%PDF-".utf8) || kind == "application/pdf" {
      throw FetchError("usage", "\(name) is a PDF, which Diple does not read")
    }
    if PictureKind.ending(of: bytes) != nil || kind.hasPrefix("image/") {
      throw FetchError("usage", "\(name) is a picture, not a page")
    }
    let isPage =
      kind.isEmpty || kind.contains("html") || kind.hasPrefix("text/") || kind.contains("xml")
    guard isPage,
      !bytes.prefix(1024).contains(0) || bytes.starts(with: [0xFF, 0xFE])
        || bytes.starts(with: [0xFE, 0xFF])
    else {
      let what = kind.isEmpty || isPage ? "data that is not text" : String(kind.prefix(80))
      throw FetchError("usage", "\(name) is \(what), not a page")
    }
  }

  /// Reads a page.
  ///
  /// - Parameter title: the title of a page that has none; nil for a title of its name.
  private func readPage(
    _ bytes: consuming [UInt8], at address: WebAddress?, called name: String,
    titled title: String? = nil
  ) throws(FetchError) -> FetchAnswer {
    let tooMuch = FetchError("usage", "\(name) is too complicated to read")
    guard bytes.count(where: { $0 == UInt8(ascii: "<") }) <= Self.mostTags else { throw tooMuch }
    let memory = Self.memory(for: bytes.count)
    let tooLarge = FetchError(
      "usage", "\(name) takes more than \(memory >> 20) MiB of memory to read", hint: "split it")
    limitMemory(memory, tooLarge)
    let giveUp = giveUp
    let tree = PageParser.tree(of: consume bytes) { giveUp($0 == .memory ? tooLarge : tooMuch) }
    guard let article = Article.read(consume tree, at: address, isWhole: order.isWhole) else {
      throw FetchError(
        "nothing", "\(name) has no article",
        hint: order.isWhole ? nil : "--whole adds the whole page")
    }
    var answer = FetchAnswer()
    let data = article.metadata
    answer.origin.title = data.title.isEmpty ? title ?? FileName.stem(name) : data.title
    answer.origin.authors = data.authors
    answer.origin.date = data.date
    answer.origin.site = data.site
    answer.origin.publisher = data.publisher
    answer.origin.language = data.language
    answer.origin.url =
      (data.canonical?.host == address?.host || address == nil ? data.canonical : nil)?
      .text ?? address?.text ?? ""
    if !article.isComplete { answer.warnings.append("\(name) is too large: its end was omitted") }
    if let share = article.smallShare {
      answer.warnings.append(
        "the article has \(share) % of the text of \(name); --whole adds the whole page")
    }
    let head = FrontMatterText.of(answer.origin, kind: "webpage")
    let plain = FileName.plain(answer.origin.title)
    let made = Book.Made(
      name: (plain.isEmpty ? "Page" : plain) + ".md",
      bytes: Array(head.utf8) + article.markdown.utf8, title: answer.origin.title)
    try write([made], [], to: &answer)
    return answer
  }

  private func readBook(_ path: String, from address: String) throws(FetchError) -> FetchAnswer {
    let giveUp = giveUp
    let book = try Book(path, from: address) {
      giveUp(FetchError("usage", "a chapter of the book is too complicated to read"))
    }
    var answer = FetchAnswer()
    answer.isBook = true
    answer.origin = book.origin
    answer.warnings = book.warnings
    try write(book.texts, book.pictures, to: &answer)
    return answer
  }

  private func write(
    _ texts: [Book.Made], _ pictures: [Book.Made], to answer: inout FetchAnswer
  ) throws(FetchError) {
    do throws(SystemCallError) {
      for (index, text) in texts.enumerated() {
        let file = "text-\(index)"
        try PrivateFile.make(folder.appending(file), containing: text.bytes)
        var made = FetchAnswer.Text(file: file, name: text.name, title: text.title)
        made.highlights = text.highlights.map { highlight in
          FetchAnswer.Highlight(
            start: highlight.range.lowerBound, quote: highlight.quote,
            color: highlight.color.rawValue, comment: highlight.comment)
        }
        answer.texts.append(made)
      }
      for (index, picture) in pictures.enumerated() {
        let file = "picture-\(index)"
        try PrivateFile.make(folder.appending(file), containing: picture.bytes)
        answer.pictures.append(FetchAnswer.Picture(file: file, name: picture.name))
      }
    } catch { throw Self.unwritable(error) }
  }
}
