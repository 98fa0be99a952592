import Model
import Testing

/// Tests the names that are suggested for misspelt ones.
struct SpellingTests {
  private static let formats = ["plain", "md", "html", "json"]

  @Test func `a similar name is suggested`() {
    #expect(Spelling.suggestion(for: "jsno", among: Self.formats) == "did you mean 'json'?")
    #expect(Spelling.suggestion(for: "docx", among: Self.formats) == nil)
  }

  @Test func `an abbreviation and the name that it abbreviates suggest each other`() {
    #expect(Spelling.nearest(to: "md", among: ["markdown", "html"]) == "markdown")
    #expect(Spelling.nearest(to: "markdwn", among: Self.formats) == "md")
    #expect(Spelling.nearest(to: "markdwn", among: ["m", "md", "mkd"]) == "mkd")
    #expect(Spelling.nearest(to: "pdf", among: Self.formats) == nil)
    // A short option or a file name does not count as an abbreviation.
    #expect(Spelling.nearest(to: "--nosuch", among: ["-n"]) == nil)
    #expect(Spelling.nearest(to: "nothing.md", among: ["n.md"]) == nil)
  }

  @Test func `a name is suggested in the form that is typed`() {
    let typed = Spelling.suggestion(for: "lien", among: ["line"]) { "\($0):" }
    #expect(typed == "did you mean 'line:'?")
  }
}
