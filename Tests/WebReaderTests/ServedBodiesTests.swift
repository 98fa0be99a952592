import MarkdownParse
import Model
import Testing

@testable import Rendering
@testable import WebReader

@Suite struct ServedBodiesTests {
  private func body(_ text: String) -> ServedBody {
    let document = ParsedDocument(parsing: MarkdownSource(Array(text.utf8)))
    return ServedBody(
      HTMLBody(Page(document: document)), ContentDigest(bytes: [UInt8](repeating: 7, count: 32))!,
      length: document.text.count)
  }

  @Test func `the version of a body depends on its text`() {
    #expect(body("One.\n\nTwo.").version == body("One.\n\nTwo.").version)
    #expect(body("One.\n\nTwo.").version != body("One.\n\nThree.").version)
    #expect(body("One.\n\nTwo.").version != body("Two.\n\nOne.").version)
  }

  @Test func `the parts of a body are known until 16 other bodies were served`() {
    var bodies = ServedBodies()
    let first = body("First.")
    bodies.gave(first, isLast: true)
    #expect(bodies.keys(of: first.version) == Set(first.parts.map(\.key)))
    #expect(bodies.body(first.version) == nil)
    for number in 0..<15 { bodies.gave(body("Number \(number)."), isLast: true) }
    #expect(bodies.keys(of: first.version) != nil)
    bodies.gave(body("One more."), isLast: true)
    #expect(bodies.keys(of: first.version) == nil)
  }

  @Test func `a body is kept until its last piece was served, or two other bodies were begun`() {
    var bodies = ServedBodies()
    let large = body("Large.")
    bodies.gave(large, isLast: false)
    #expect(bodies.body(large.version)?.parts.count == 1)
    bodies.gave(large, isLast: true)
    #expect(bodies.body(large.version) == nil)
    bodies.gave(large, isLast: false)
    bodies.gave(body("Second."), isLast: false)
    bodies.gave(body("Third."), isLast: false)
    #expect(bodies.body(large.version) == nil)
  }
}
