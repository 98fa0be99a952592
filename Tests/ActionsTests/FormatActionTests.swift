import Actions
import BuiltIn
import Editing
import Foundation
import Interchange
import Model
import RichText
import SystemSupport
import TestSupport
import Testing
import Workspace

/// Tests actions on formats of passages and documents.
@Suite struct FormatActionTests {
  @Test func `a passage is found, copied and shown with its format`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One **quick** fox, two foxes.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    let found = try await FindText(document: id, query: "fox", limit: 1).run(in: session)
    #expect(found.count == 2 && found.matches.count == 1 && found.limited && !found.incomplete)
    let text = try #require(found.text)
    let whole = try await FindText(
      document: id, query: "fox", passage: .ranges([TextRange(utf16: 0..<13)], of: text)
    ).run(in: session)
    #expect(whole.matches == [TextRange(utf16: 10..<13)])
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"quick\""))
    let plain = try await CopyPassage(document: id, passage: passage).run(in: session)
    #expect(plain.text == "quick" && plain.json.hasSuffix("\"schema\":\"diple.copy/1\"}"))
    let markdown = try await CopyPassage(document: id, passage: passage, as: .md).run(in: session)
    #expect(markdown.text == "**quick**" && markdown.html == nil)
    let both = try await CopyPassage(document: id, passage: passage, html: true).run(in: session)
    #expect(both.text == "quick" && both.html == "<p><strong>quick</strong></p>\n")
    let cited = try await CopyPassage(document: id, passage: passage, cite: .text).run(in: session)
    #expect(cited.text.contains("quick") && cited.text != "quick")
    let format = try await ShowFormat(document: id, passage: passage).run(in: session)
    #expect(format.attributes.first { $0.name == "bold" }?.value == "on")
    #expect(format.attributes.first { $0.name == "size" }?.value == nil)
    // Ranges of another text are refused, because they may contain other words.
    let other = RequestedPassage.ranges(
      [TextRange(utf16: 0..<3)], of: ContentDigest(bytes: [UInt8](repeating: 7, count: 32))!)
    let error = await #expect(throws: UserError.self) {
      try await CopyPassage(document: id, passage: other).run(in: session)
    }
    #expect(error?.code == .conflict)
    let beyond = RequestedPassage.ranges([TextRange(utf16: 0..<300)], of: text)
    let wide = await #expect(throws: UserError.self) {
      try await CopyPassage(document: id, passage: beyond).run(in: session)
    }
    #expect(wide?.parameter == "passage.ranges")
    let neither = await #expect(throws: UserError.self) {
      try await DrawCard(document: id).run(in: session)
    }
    #expect(neither?.code == .usage)
    let card = try await DrawCard(document: id, passage: passage, format: .text).run(in: session)
    #expect(card.quote == "quick" && card.json.contains("“quick”"))
  }

  @Test func `default formats and margins are set, and formats copied`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    func size(_ outcome: DefaultFormatOutcome) -> String? {
      outcome.attributes.first { $0.name == "size" }?.value
    }
    #expect(size(try await ShowDefaultFormat().run(in: session)) == "13")
    let set = SetDefaultFormat(document: id, set: ["size": "20"])
    #expect(size(try await set.run(in: session)) == "20")
    #expect(size(try await ShowDefaultFormat(document: id).run(in: session)) == "20")
    #expect(size(try await SetDefaultFormat(document: id, reset: true).run(in: session)) == "13")
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"fox\""))
    _ = try await FormatPassage(document: id, passage: passage, set: ["size": "30"]).run(
      in: session)
    let current = try await SetDefaultFormat(source: id, passage: passage).run(in: session)
    #expect(size(current) == "30")
    #expect(current.attributes.first { $0.name == "indent first" }?.value == "36")
    // A reset of the format and margins of new documents is one step.
    _ = try await SetMargins(margins: "wide").run(in: session)
    _ = try await SetDefaultFormat(set: ["size": "21"]).run(in: session)
    let preview = try await SetDefaultFormat(reset: true, dryRun: true).run(in: session)
    #expect(preview.margins == nil)
    let reset = try await SetDefaultFormat(reset: true).run(in: session)
    #expect(reset.margins == nil && reset.defaults == .standard)
    _ = try await library.undo()
    #expect(try await ShowDefaultFormat().run(in: session).margins != nil)
    #expect(size(try await ShowDefaultFormat().run(in: session)) == "21")
    await #expect(throws: UserError.self) {
      for _ in 1...2 { _ = try await SetDefaultFormat(reset: true).run(in: session) }
    }
    for wrong in [
      SetDefaultFormat(), SetDefaultFormat(reset: true, preset: "diple"),
      SetDefaultFormat(source: id), SetDefaultFormat(set: ["size": "none"]),
    ] {
      let error = await #expect(throws: UserError.self) { try await wrong.run(in: session) }
      #expect(error?.code == .usage)
    }
    let copied = try await CopyFormat(document: id, passage: passage, as: "x").run(in: session)
    #expect(copied.name == "x" && copied.attributes.contains { $0.value == "30" })
    let margins = try await SetMargins(document: id, margins: "wide").run(in: session)
    #expect(margins.json.contains("\"left\":80"))
    await #expect(throws: UserError.self) {
      try await SetMargins(document: id, margins: "wide").run(in: session)
    }
    let own = try await SetMargins(document: id, left: "2.54cm", top: "0.5in").run(in: session)
    #expect(
      own.margins
        == EditorMargins(
          left: .points(72), right: .points(80), top: .points(36), bottom: .points(30))
    )
    let new = try await SetMargins(margins: "narrow", bottom: "0").run(in: session)
    #expect(new.margins?.bottom == Twips(0) && new.margins?.top == .points(20))
    #expect(try await ShowDefaultFormat().run(in: session).margins == new.margins)
    #expect(try await SetMargins(margins: "none").run(in: session).margins == nil)
    for wrong in [
      SetMargins(), SetMargins(margins: "huge"), SetMargins(margins: "none", left: "1"),
      SetMargins(left: "wide"), SetMargins(left: "300"),
    ] {
      let error = await #expect(throws: UserError.self) { try await wrong.run(in: session) }
      #expect(error?.code == .usage)
    }
  }

  @Test func `a palette is offered styles with their keys, and the colours that were chosen last`()
    async throws
  {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    var session = ActionSession(library)
    session.environment = ["XDG_STATE_HOME": folder.path + "/state", "PATH": "/nowhere"]
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"fox\""))
    func color(_ value: String, dryRun: Bool? = nil) async throws {
      _ = try await FormatPassage(
        document: id, passage: passage, set: ["color": value], dryRun: dryRun
      ).run(in: session)
    }
    #expect(try await ListFormatChoices().run(in: session).colors == [])
    for value in 1...9 { try await color("#00000\(value)") }
    try await color("#000005")
    try await color("#123456", dryRun: true)
    try await color("automatic")
    let expected = [5, 9, 8, 7, 6, 4, 3, 2].map { "#00000\($0)" }
    #expect(try await ListFormatChoices().run(in: session).colors == expected)
    // Other lines are ignored.
    try folder.write("state/diple/recent-colors", "\u{1B}[2J\n#aabbcc\n#aabbcc\nred;\n")
    #expect(try await ListFormatChoices().run(in: session).colors == ["#aabbcc"])

    func keys() async throws -> [String: Int] {
      let styles = try await ListFormatChoices().run(in: session).styles
      return styles.reduce(into: [:]) { $0[$1.id] = $1.key }
    }
    #expect(
      try await keys() == [
        "body": 0, "heading-1": 1, "heading-2": 2, "heading-3": 3, "block-quote": 4, "code": 5,
      ])
    _ = try await SaveStyle(style: "Big", document: id, passage: passage).run(in: session)
    let big = try await ChangeStyle(style: "Big", key: "4").run(in: session)
    #expect(big.style.key == 4)
    var known = try await keys()
    #expect(known["block-quote"] == nil && known["big"] == 4)
    #expect(try await ShowStyle(style: "4").run(in: session).style.id == "big")
    _ = try await ChangeStyle(style: "Code", key: "4").run(in: session)
    known = try await keys()
    #expect(known["big"] == nil && known["code"] == 4)
    _ = try await ChangeStyle(style: "Code", key: "none").run(in: session)
    known = try await keys()
    #expect(known["block-quote"] == 4 && known["code"] == 5)
    for wrong in [
      ChangeStyle(style: "Big", key: "10"), ChangeStyle(style: "Big", key: "x"),
      ChangeStyle(style: "Big"), ChangeStyle(style: "Big", set: ["size": "9"], key: "1"),
    ] {
      let error = await #expect(throws: UserError.self) { try await wrong.run(in: session) }
      #expect(error?.code == .usage)
    }
  }

  @Test func `a font that is not installed is stored and reported`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n")
    try folder.write("bin/fc-list", "#!/bin/sh\nprintf 'EB Garamond,EB Garamond 12\\nMenlo\\n'\n")
    chmod(folder.path + "/bin/fc-list", 0o755)
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    var session = ActionSession(library)
    session.environment = ["PATH": folder.path + "/bin"]
    let passage = RequestedPassage.spec(try SelectionSpec(parsing: "\"fox\""))
    func missing(_ font: String) async throws -> MissingFont? {
      try await FormatPassage(document: id, passage: passage, set: ["font": font]).run(in: session)
        .missingFont
    }
    #expect(try await missing("EB Garamnd")?.similar == "EB Garamond")
    #expect(try await missing("Gill Sans")?.name == "Gill Sans")
    #expect(try await missing("eb garamond 12") == nil)
    #expect(await MissingFont(["font": "none"], session.environment) == nil)
    #expect(try await ListFonts().run(in: session).families == ["EB Garamond", "Menlo"])
    #expect(try await ListFonts(text: "GARA").run(in: session).families == ["EB Garamond"])
    session.environment = ["PATH": "/nowhere"]
    #expect(try await missing("Nothing") == nil)
  }

  @Test func `all formats of a document are listed in the order of its text`() async throws {
    let folder = try WorkFolder()
    try folder.write("a.md", "One fox.\n\nTwo *hens*.\n")
    let library = try await newLibrary(in: folder)
    let id = try await library.document(folder.path + "/a.md").id
    let session = ActionSession(library)
    let empty = try await ListFormats(document: id).run(in: session)
    #expect(empty.passages.isEmpty && empty.defaults == FormatDefaults() && empty.margins == nil)
    #expect(empty.builtIn == .standard)
    func format(_ spec: String, _ set: [String: String]) async throws {
      let passage = RequestedPassage.spec(try SelectionSpec(parsing: spec))
      _ = try await FormatPassage(document: id, passage: passage, set: set).run(in: session)
    }
    try await format("\"hens\"", ["size": "20", "indent head": "36"])
    try await format("\"fox\"", ["font": "Gill Sans"])
    _ = try await FormatPassage(
      document: id, passage: .spec(try SelectionSpec(parsing: "para:1")), style: "Block Quote",
      keepFile: true
    ).run(in: session)
    _ = try await SetDefaultFormat(document: id, set: ["size": "12"]).run(in: session)
    _ = try await SetMargins(document: id, margins: "narrow").run(in: session)
    try folder.write("a.md", "Zero.\n\nTwo *hens*.\n")
    _ = try await RefreshDocuments().run(in: session)
    let list = try await ListFormats(document: id).run(in: session)
    #expect(list.passages.map(\.quote) == ["hens", "fox", "One fox."])
    #expect(list.passages.map(\.isShown) == [true, false, false])
    #expect(list.passages[0].line == 3 && list.passages[1].line == nil)
    #expect(
      list.passages[0].attributes.map { "\($0.name) \($0.shown(in: .inches))" }
        == ["size 20 pt", "indent head 0.5 in"])
    #expect(list.styles.map(\.title) == ["Block Quote"] && list.styles[0].passages == 1)
    #expect(list.defaults.characters[.size] == .size(24) && list.builtIn == FormatDefaults())
    #expect(list.margins == .narrow)
  }
}
