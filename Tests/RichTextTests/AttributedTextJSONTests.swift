import Foundation
import Model
import RichText
import RichTextChecks
import TestSupport
import Testing

@Suite struct AttributedTextJSONTests {
  private static func sample(_ random: inout SeededGenerator) throws -> AttributedText {
    var text = AttributedText("One paragraph 𝒳.\nAnother — \"quoted\"\r\nLast")
    for _ in 0..<8 {
      let start = Int.random(in: 0..<text.units.count, using: &random)
      let end = Int.random(in: start...text.units.count, using: &random)
      try text.change(start..<end, RandomFormat.changes(&random), limits: .files)
      try text.changeParagraphs(start..<end, RandomFormat.paragraphChanges(&random), limits: .files)
    }
    try text.styles.store(
      NamedStyle(
        id: StyleID("verse"), title: "Verse", basedOn: .blockQuote, characters: [.size(24)],
        paragraphs: [.tabStops([TabStop(position: Twips(500), kind: .decimal, leader: .dots)])]))
    text.defaults = .scrivener3
    return text
  }

  @Test func `a text is equal after writing and reading JSON`() throws {
    let seed = SeededGenerator.runSeed
    print("AttributedTextJSONTests: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = try Self.sample(&random)
      let bytes = try text.json()
      let read = try AttributedText(json: Array(bytes))
      #expect(read == text, "seed \(seed)")
      #expect(try read.json() == bytes, "seed \(seed)")
    }
  }

  @Test func `unknown fields of a newer version are kept`() throws {
    let json = """
      {"characterSets":[{"bold":true,"kerning":{"a":[1,null]}}],"characters":[[0,3,0]],\
      "comments":["x"],"defaults":{"characters":{"size":30},"page":1},"paragraphSets":[],\
      "paragraphs":[],"schema":"diple.attributed-text/1",\
      "styles":[{"characters":{"italic":false,"ligatures":"all"},"id":"body","next":"code",\
      "title":"Body"}],"text":"one"}
      """
    let text = try AttributedText(json: Array(json.utf8))
    #expect(text.characters[0][.bold] == .bold(true))
    #expect(text.styles[.body]?.characters[.italic] == .italic(false))
    #expect(String(decoding: try text.json(), as: UTF8.self) == json)
  }

  @Test(arguments: [
    ("", "not valid JSON"), ("[1", "not valid JSON"), ("{}", "no 'schema'"),
    (#"{"schema":"diple.attributed-text/2","text":""}"#, "the schema is"),
    (#"{"schema":"diple.attributed-text/1"}"#, "no 'text'"),
    (#"{"schema":"diple.attributed-text/1","text":"a","characters":[[0,1,0]]}"#, "characters[0]"),
    (
      #"{"schema":"diple.attributed-text/1","text":"ab","characterSets":[{"bold":true}],"#
        + #""characters":[[1,2,0],[0,1,0]]}"#, "characters[1]"
    ),
    (
      #"{"schema":"diple.attributed-text/1","text":"ab","characterSets":[{"bold":true}],"#
        + #""characters":[[0,3,0]]}"#, "beyond the text"
    ),
    (
      #"{"schema":"diple.attributed-text/1","text":"ab","characterSets":[{"bold":true}],"#
        + #""characters":[[-9223372036854775808,9223372036854775807,0]]}"#, "characters[0]"
    ),
    (
      #"{"schema":"diple.attributed-text/1","text":"a","characterSets":[{"size":1e300}]}"#,
      "characterSets[0]: size: expected a whole number"
    ),
    (
      #"{"schema":"diple.attributed-text/1","text":"a","paragraphSets":[{"alignment":"up"}]}"#,
      "expected one of left, center, right, justified, got 'up'"
    ),
    (
      #"{"schema":"diple.attributed-text/1","text":"a","styles":[{"id":"a","title":"A","#
        + #""basedOn":"a"}]}"#, "inherit from itself"
    ),
    (#"{"schema":"diple.attributed-text/1","text":"a","styles":[3]}"#, "styles[0]"),
    (#"{"schema":"diple.attributed-text/1","text":"a","characters":{"a":1}}"#, "characters"),
  ])
  func `invalid JSON is rejected with a message of one line`(_ json: String, _ message: String) {
    let error = #expect(throws: AttributedTextError.self) {
      try AttributedText(json: Array(json.utf8))
    }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    #expect(error?.description.contains("\n") == false)
  }

  @Test func `very deep JSON is rejected without a crash`() {
    let head = #"{"schema":"diple.attributed-text/1","text":"a","x":"#
    for rest in [
      String(repeating: "[", count: 200_000), String(repeating: "{\"a\":", count: 100_000),
      String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000) + "}",
    ] {
      #expect(throws: AttributedTextError.self) {
        try AttributedText(json: Array((head + rest).utf8))
      }
    }
  }

  @Test func `a paragraph has the attributes of its first unit`() throws {
    let json =
      #"{"schema":"diple.attributed-text/1","text":"one\ntwo","#
      + #""paragraphSets":[{"alignment":"right"}],"paragraphs":[[0,1,0],[5,7,0]]}"#
    let text = try AttributedText(json: Array(json.utf8))
    #expect(text.paragraphs.runs.map(\.range) == [TextRange(utf16: 0..<4)])
  }

  private static let project = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let python: String? = ["/usr/bin/python3", "python3"].first { python in
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python, "-c", "import jsonschema"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    return (try? process.end()) == 0
  }

  @Test(.enabled(if: python != nil, "python3-jsonschema is not installed"))
  func `JSON conforms to the schema`() throws {
    var random = SeededGenerator(seed: SeededGenerator.runSeed)
    let folder = try WorkFolder()
    for number in 0..<20 {
      try folder.write(
        "\(number).json", String(decoding: try Self.sample(&random).json(), as: UTF8.self))
    }
    let script = """
      import json, glob, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      for path in glob.glob(sys.argv[2] + "/*.json"):
        jsonschema.validate(json.load(open(path)), schema)
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      try #require(Self.python), "-c", script,
      Self.project.path + "/Documentation/attributed-text.schema.json", folder.path,
    ]
    try process.run()
    #expect(try process.end() == 0)
  }
}
