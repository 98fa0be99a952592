import Model
import RichText

extension RichDocument {
  /// Moves all offsets through edits of the text. O(edits + offsets · log edits).
  mutating func move(through edits: [TextEdit]) {
    // The shift of the text after each edit.
    var shifts: [Int] = []
    for edit in edits {
      shifts.append((shifts.last ?? 0) + edit.replacement.utf16.count - edit.range.count)
    }
    func moved(_ offset: Int) -> Int {
      var (low, high) = (0, edits.count)
      while low < high {
        let middle = (low + high) / 2
        if edits[middle].range.utf16.upperBound <= offset {
          low = middle + 1
        } else {
          high = middle
        }
      }
      // An offset inside an edit moves to the start of the edit.
      let kept = low < edits.count ? min(offset, edits[low].range.utf16.lowerBound) : offset
      return kept + (low == 0 ? 0 : shifts[low - 1])
    }
    for index in notes.indices { notes[index].offset = moved(notes[index].offset) }
    for index in images.indices { images[index].offset = moved(images[index].offset) }
    func moved(_ range: Range<Int>) -> Range<Int> {
      moved(range.lowerBound)..<max(moved(range.lowerBound), moved(range.upperBound))
    }
    tableRows = tableRows.map(moved)
    for index in notes.indices { notes[index].range = notes[index].range.map(moved) }
    for index in highlights.indices { highlights[index].range = moved(highlights[index].range) }
    for index in scrivenerMarks.indices {
      scrivenerMarks[index].range = moved(scrivenerMarks[index].range)
    }
  }
}
