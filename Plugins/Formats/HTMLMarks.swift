public import Interchange
import Model

/// Reads the passages of a web page that are marked with `<mark>` or quoted with `<blockquote>`.
public struct HTMLMarks: Importer {
  /// The id, which selects the format: `diple import --from html`.
  public static let id = "html"
  /// The name of the format in messages.
  public static let name = "HTML marks and quotes"
  /// The description that `diple strategies` prints.
  public static let summary = "<mark> and <blockquote> of a web page"
  /// Examples, which are also the tests.
  public static let examples = [
    ImportExample(
      "a mark, and a quote with a mark in it",
      input: """
        <!DOCTYPE html><title>On &lt;signs&gt;</title><style>mark { color: red }</style>
        <p>Says: <mark class="x">Look
          <b>here</b> &amp; there</mark>.<!-- <mark>no</mark> -->
        <blockquote><p>One</p><p><mark>two</mark></p></blockquote><script>"<mark>no</mark>"</script>
        """,
      records: ["Look here & there", "One two"].map {
        AnnotationRecord(id: "", quote: $0, source: "", title: "On <signs>", color: .yellow)
      }),
    ImportExample(
      "a page without marks and quotes", input: "<!DOCTYPE html><p>Mine.</p>", records: nil),
  ]

  /// Creates the importer, which has no state.
  public init() {}

  /// Returns whether the file is a web page with at least one such passage.
  public func recognizes(_ source: ImportSource) -> Bool {
    let start = String(decoding: source.bytes.prefix(512), as: UTF8.self).lowercased()
    let isPage = start.contains("<!doctype html") || start.contains("<html")
    return isPage && (try? read(source)) != nil
  }

  /// Reads the records. The title is the page's `<title>`, or else the name of the file.
  ///
  /// - Throws: `ImportError` if the page has no such passage.
  public func read(_ source: ImportSource) throws(ImportError) -> ImportContent {
    let scan = HTMLScan(source.text, wanted: ["mark", "blockquote"])
    guard !scan.passages.isEmpty else {
      throw ImportError("it contains no marked or quoted passages")
    }
    return ImportContent(
      records: scan.passages.map {
        AnnotationRecord(
          id: "", quote: $0, source: "", title: scan.title.isEmpty ? source.title : scan.title,
          color: .yellow)
      })
  }
}
