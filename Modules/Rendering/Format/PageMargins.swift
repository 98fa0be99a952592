import RichText

/// The margins around a text in a terminal: columns on the left and right, rows above and below. A
/// column is 6 pt wide and a row 12 pt high.
struct PageMargins: Equatable {
  var left = 0
  var right = 0
  var top = 0
  var bottom = 0

  /// The minimum number of columns that the margins leave for the text.
  private static let minimumTextColumns = 40

  /// Creates the margins of a page. They are zero if the document has none, and also in a file or a
  /// pipe, and for a single passage. On a narrow page the left and right margins are reduced by the
  /// same factor.
  ///
  /// - Parameter gutter: the number of columns before the text that the page uses itself.
  init(of page: Page, gutter: Int) {
    guard let margins = page.format?.margins, page.options.isOnScreen, page.options.range == nil
    else { return }
    func columns(_ length: Twips) -> Int { (max(0, length.count) + 60) / 120 }
    func rows(_ length: Twips) -> Int { (max(0, length.count) + 120) / 240 }
    (left, right) = (columns(margins.left), columns(margins.right))
    (top, bottom) = (rows(margins.top), rows(margins.bottom))
    let room = max(0, page.options.width - gutter - Self.minimumTextColumns)
    if left + right > room {
      left = room * left / (left + right)
      right = room - left
    }
  }
}
