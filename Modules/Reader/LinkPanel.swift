package import Model
import Rendering

/// The links of the text, the links of other documents to it, and the broken links, to
/// be listed beside the text.
package struct LinkPanel: Sendable {
  /// A line of the panel.
  package struct Item: Sendable {
    var title: String
    var action: Action

    /// Creates a line.
    ///
    /// - Parameter title: the line without control characters.
    package init(_ title: String, _ action: Action) { (self.title, self.action) = (title, action) }
  }

  /// What choosing a line does.
  package enum Action: Sendable {
    /// Follows a link of the text.
    case follow(String)
    /// Opens a place in another document.
    case visit(Destination)
    /// Goes to a place of the text.
    case go(TextOffset)
  }

  package var links: [Item] = []
  package var backlinks: [Item] = []
  package var unresolved: [Item] = []

  package init() {}
}

extension Reader {
  /// Shows the links that ``Effect/readLinks`` asked for. The first backlink is chosen; without
  /// backlinks, the first line.
  package mutating func show(_ panel: LinkPanel) {
    var items: [ReaderList.Item] = []
    var chosen: Int?
    for (title, section) in [
      ("Links", panel.links), ("Backlinks", panel.backlinks), ("Unresolved", panel.unresolved),
    ] where !section.isEmpty {
      items.append(.init(title: "\(title) (\(section.count))", action: .section))
      if title == "Backlinks" || chosen == nil { chosen = items.count }
      items += section.map { item in
        let action: ReaderList.Action =
          switch item.action {
          case .follow(let destination): .follow(destination)
          case .visit(let destination): .visit(destination)
          case .go(let offset): .go(offset)
          }
        return .init(title: "  " + item.title, action: action)
      }
    }
    guard let chosen else {
      message = "there are no links, and no other document links here"
      return
    }
    open(
      ReaderList(title: "Links and backlinks", items: items, isFilterable: true), index: chosen)
  }
}
