import MarkdownParse
import Model
import RichText

extension ParsedDocument {
  /// Returns the list items by the first leaf of each. Nested lists have the number of the
  /// outermost list. O(blocks).
  ///
  /// - Parameter last: the last list number in use; new numbers follow it.
  func listItems(after last: Int = 0) -> [Int: ListItem] {
    struct Place {
      var list = 0
      var depth = -1
      var marker = ListItem.Marker.bullet
      var item = -1
    }
    var places = [Place](repeating: Place(), count: blocks.count)
    var begun: Set<Int> = []
    var result: [Int: ListItem] = [:]
    var count = last
    for (index, block) in blocks.enumerated() {
      var place = block.parent < 0 ? Place() : places[block.parent]
      switch block.kind {
      case .list(let style):
        if place.depth < 0 {
          count += 1
          place.list = count
        }
        place.depth += 1
        place.marker = style.start == nil ? .bullet : .decimal
      case .listItem: place.item = index
      default: break
      }
      places[index] = place
      guard block.isLeaf, !block.text.isEmpty, place.item >= 0,
        begun.insert(place.item).inserted
      else { continue }
      result[index] = ListItem(list: place.list, level: min(place.depth, 8), marker: place.marker)
    }
    return result
  }
}
