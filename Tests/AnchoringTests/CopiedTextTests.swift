import Anchoring
import Glibc
import Model
import Strategies
import TestSupport
import Testing

/// Tests locating a passage that was edited or moved, in a text that also contains copies of it.
@Suite struct CopiedTextTests {
  private static let rows = """
    # Table Emma

    | Orlando | 1817 | Dublin | name |
    | Mathilda | 1850 | Bergen | table |
    | Kim | 1868 | Bergen | port |

    Question sister it doctor.

    # Value Persuasion

    | Roxana | «1813 | London» | token |
    | Omoo | 1918 | Oslo | port |
    | A Tale of a Tub | 1815 | London | cache |
    | Emma | 1801 | London | value |

    On with bridge village in narrow doctor the question.

    """

  @Test func `a passage in a line that was moved and copied is doubtful, at one of the copies`()
    throws
  {
    let new = """
      # Table Emma

      | Orlando | 1817 | Dublin | name |
      | Mathilda | 1850 | Bergen | table |
      | Kim | 1868 | Bergen | port |
      | Roxana | 1813 | London | token |

      Question sister it doctor.

      # Value Persuasion

      | Omoo | 1849 | London | token |
      | Omoo | 1918 | Oslo | port |
      | A Tale of a Tub | 1815 | London | cache |
      | Roxana | 1813 | London | token |
      | Emma | 1801 | London | value |

      On with bridge village in narrow doctor the question.

      """
    for snapshot in [true, false] {
      let place = Anchorer.found(Self.rows, in: new, snapshot: snapshot)[0]
      #expect(place.anchor.state == .doubtful && place.words == "1813 | London", "\(place)")
    }
  }

  @Test(arguments: [true, false])
  func `an exact copy of an edited line is not chosen with certainty`(snapshot: Bool) {
    let filler = (0..<20).map { number in
      "In spring the water number \(number) rises, and the village waits for it at the bridge."
    }.joined(separator: " ")
    let line = "| Roxana | 1813 | London | token |"
    let old = Self.rows.replacing("«", with: "").replacing("»", with: "").replacing(
      "Question sister it doctor.", with: filler)
    let new = old.replacing(line, with: "| Roxana | 1814 | London | token |")
      .replacing("| Kim | 1868 |", with: "\(line)\n| Kim | 1868 |")
    let place = Anchorer.found(old.replacing(line, with: "«\(line)»"), in: new, snapshot: snapshot)[
      0]
    #expect(snapshot ? place.anchor.state == .doubtful : place.words != line, "\(place)")
  }

  @Test func `a shorter similar copy is not chosen with certainty over the edited original`() throws
  {
    let old = """
      Intro words of the document.

      «def load(path):
        data = open(path).read()
        parsed = parse(data)
        check(parsed)
        return parsed»

      Middle text between the two.

      Last words of all.

      """
    let new = """
      Intro words of the document.

      def load(source, mode):
        data = read(source, mode).text()
        parsed = parse_all(data, mode)
        check(parsed, mode)
        return parsed or None

      Middle text between the two.

      def load(path):
        data = open(path).read()
        return parsed

      Last words of all.

      """
    for snapshot in [true, false] {
      let place = Anchorer.found(old, in: new, snapshot: snapshot)[0]
      let isCopy = place.words?.contains("open(path)") == true
      #expect(!isCopy || place.anchor.score < Anchorer.sureScore, "\(place)")
    }
  }

  @Test func `equal lines in shuffled blocks are doubtful or orphaned`() {
    let old = """
      BEGIN a
        «return nil»
        x = 1
      END

      BEGIN b
        y = 2
        «return nil»
      END

      BEGIN c
        «return nil»
        z = 3
      END

      """
    let new = """
      BEGIN c
        z = 3
        return nil
      END

      BEGIN a
        x = 1
        return nil
      END

      BEGIN b
        return nil
        y = 2
      END

      """
    for place in Anchorer.found(old, in: new) {
      #expect([.doubtful, .orphaned].contains(place.anchor.state), "\(place)")
    }
  }

  @Test func `equal lines in blocks that are moved whole follow their blocks`() {
    func block(_ name: String, _ count: Int) -> String {
      let lines = (1...count).map { "  \(name) sets the value number \($0)\n" }
      return "BEGIN \(name)\n\(lines.joined())  «return nil»\n  nothing of \(name) follows\nEND\n"
    }
    let blocks = [("alpha", 2), ("beta", 3), ("gamma", 2), ("delta", 4)].map(block)
    let new = [2, 0, 3, 1].map { blocks[$0] }
    let text = AnchorText(MarkedText(new.joined(separator: "\n")).text)
    let places = MarkedText(new.joined(separator: "\n")).ranges
    let anchors = Anchorer.found(
      blocks.joined(separator: "\n"),
      in: text.substring(
        TextRange(utf16: 0..<text.units.count)))
    for (index, place) in anchors.enumerated() {
      #expect(place.anchor.range == places[[2, 0, 3, 1].firstIndex(of: index)!], "\(place)")
    }
  }

  @Test func `a quote that occurs several times is doubtful if only the text before it matches`() {
    let old = """
      Alpha beta gamma delta was the first line of the story.

      The old lamp of the harbour was «very bright indeed» that night, when the ships came in.

      Some other words are here, to end it.

      """
    let new = """
      A star is very bright indeed, and far.

      The old lamp of the harbour was very bright indeed. Nobody saw it but the children.

      It seemed to him very bright indeed, as the moon is.

      """
    let place = Anchorer.found(old, in: new, snapshot: false)[0]
    #expect(place.anchor.score < Anchorer.sureScore, "\(place)")
  }

  @Test func `changed lines are compared in linear time`() {
    /// Returns the time in milliseconds to locate one of `count` changed lines, which are in
    /// reverse order and cannot be located with certainty.
    func time(_ count: Int) -> Double {
      let old = AnchorText((0..<count).map { "k\($0) r\($0) door\n" }.joined())
      let new = AnchorText((0..<count).reversed().map { "k\($0) r\($0) gate\n" }.joined())
      let range = TextRange(utf16: 3..<9)
      let subject = AnchorSubject(
        selector: Selector(selecting: range, in: old, digest: nil, renderVersion: 1), last: range)
      func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
      }
      let start = now()
      #expect(Anchorer.usual.reanchor([subject], from: old, to: new).count == 1)
      return now() - start
    }
    _ = time(100)
    let (few, many) = (time(1_000), time(8_000))
    // Scanning the text for each line would take 64 times as long.
    #expect(many < 24 * few, "\(few) and \(many) ms")
  }
}
