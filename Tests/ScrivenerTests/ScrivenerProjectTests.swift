import Foundation
import MarkdownParse
import Model
import RichMarkdown
import RichText
import Scrivener
import SystemSupport
import TestSupport
import Testing

@Suite struct ScrivenerProjectTests {
  private static let ids = (1...9).map { "0000000\($0)-AAAA-4BBB-8CCC-DDDDDDDDDDDD" }

  private static func rtf(_ body: String) -> String {
    #"""
    {\rtf1\ansi\ansicpg1252\uc1\deff0
    {\fonttbl{\f0\fnil\fcharset0\fprq2 Palatino;}{\f1\fnil Courier;}}
    {\colortbl;\red0\green0\blue0;\red255\green0\blue0;}
    \pard\plain\fi360\sl264\slmult1\f0\fs26
    """# + body + "}"
  }

  private static func item(
    _ id: Int, _ type: String, _ title: String, meta: String = "", children: String = ""
  ) -> String {
    """
    <BinderItem UUID="\(ids[id])" Type="\(type)" Created="2019-02-12 20:55:48 +0200">
      <Title>\(title)</Title>
      <MetaData>\(meta)</MetaData>
      \(children.isEmpty ? "" : "<Children>\(children)</Children>")
    </BinderItem>
    """
  }

  /// Creates a project in the format of version 3.
  private func project() throws -> WorkFolder {
    let folder = try WorkFolder()
    let yes = "<IncludeInCompile>Yes</IncludeInCompile>"
    let chapter = Self.item(
      1, "Folder", "One: A/B &amp; &#x201C;C&#x201D;",
      meta: yes + "<LabelID>1</LabelID><StatusID>2</StatusID>",
      children: Self.item(2, "Text", "", meta: yes) + Self.item(3, "Text", "../../etc"))
    let binder =
      Self.item(0, "DraftFolder", "Draft", meta: yes, children: chapter)
      + Self.item(4, "ResearchFolder", "Research", children: Self.item(5, "PDF", "Paper"))
      + Self.item(6, "TrashFolder", "Trash", children: Self.item(7, "Text", "Gone"))
    try folder.write(
      "Novel.scriv/Novel.scrivx",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <ScrivenerProject Template="No" Version="2.0" Creator="SCRWIN-3.1">
      <Binder>\(binder)</Binder>
      <LabelSettings><Title>Label</Title><Labels><Label ID="-1">No Label</Label>
      <Label ID="1" Color="0.1 1.0 0.1">Idea</Label></Labels></LabelSettings>
      <StatusSettings><StatusItems><Status ID="2">First "Draft"</Status></StatusItems></StatusSettings>
      </ScrivenerProject>
      """)
    func write(_ id: Int, _ name: String, _ text: String) throws {
      try folder.write("Novel.scriv/Files/Data/\(Self.ids[id])/\(name)", text)
    }
    try write(
      1, "content.rtf",
      Self.rtf(
        #"<$Scr_Ps::1>A quoted line.\par <!$Scr_Ps::1>Plain, <$Scr_Cs::0>strong<!$Scr_Cs::0> and {\field{\*\fldinst{HYPERLINK "scrivcmt://C0"}}{\fldrslt a passage}} and {\field{\*\fldinst{HYPERLINK "scrivcmt://F0"}}{\fldrslt a claim}}.\{\\Scrv_annot \\color=\{\\R=0.9\\G=0.1\\B=0.1\} \\text=why?\\end_Scrv_annot\}\{\\Scrv_fn=Inline {\i note}.\\end_Scrv_fn\}\par {\field{\*\fldinst{HYPERLINK "scrivlnk://"#
          + Self.ids[3] + #""}}{\fldrslt other}}\par"#))
    try write(1, "content.styles", "S0, S1")
    try write(1, "synopsis.txt", "A card\nof two lines")
    try write(1, "notes.rtf", Self.rtf(#"To {\b do}.\par"#))
    try write(
      1, "content.comments",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <Comments Version="1.0">
        <Comment ID="C0" Color="1.0 0.5 0.0"><![CDATA[\(Self.rtf("A comment."))]]></Comment>
        <Comment ID="F0" Footnote="Yes"><![CDATA[\(Self.rtf(#"A {\i linked} note."#))]]></Comment>
      </Comments>
      """)
    try folder.write(
      "Novel.scriv/Files/styles.xml",
      """
      <Styles>
        <Style ID="S0" Name="Strong" Type="Char"><Format><![CDATA[\(Self.rtf(#"{\b Attributes}"#))]]></Format></Style>
        <Style ID="s1" Name="Block Quote" Type="Para"><Format><![CDATA[\(Self.rtf(#"\li720 Attributes"#))]]></Format></Style>
      </Styles>
      """)
    try write(2, "content.rtf", Self.rtf(#"Second {\cf2 red}.\par"#))
    try write(7, "content.rtf", Self.rtf("Gone."))
    return folder
  }

  @Test func `documents are in the order of the binder, with safe names`() throws {
    let folder = try project()
    let project = try ScrivenerProject.read(folder.path + "/Novel.scriv")
    #expect(project.title == "Novel")
    #expect(
      project.items.map(\.file) == [
        "01 Draft.md", "01 Draft/01 One A B & “C”.md", "01 Draft/01 One A B & “C”/01 Untitled.md",
        "01 Draft/01 One A B & “C”/02 .. .. etc.md", "02 Research.md",
      ])
    #expect(project.items.map(\.level) == [0, 1, 2, 2, 0])
    #expect(project.items.map(\.isIncludedInCompile) == [true, true, true, false, false])
    #expect(project.items[2].folders == ["Draft", "One: A/B & “C”"])
    #expect(project.losses.contains("skipped in the binder, type PDF: 1"))
    var options = ScrivenerProject.Options()
    options.includesTrash = true
    let all = try ScrivenerProject.read(folder.path + "/Novel.scriv", options)
    #expect(all.items.last?.conversion?.markdown == "Gone.\n")
    options = ScrivenerProject.Options()
    options.onlyCompiled = true
    #expect(try ScrivenerProject.read(folder.path + "/Novel.scriv", options).items.count == 3)
  }

  @Test func `text, styles, notes and comments of a document are read`() throws {
    let folder = try project()
    let item = try ScrivenerProject.read(folder.path + "/Novel.scriv").items[1]
    let conversion = try #require(item.conversion)
    #expect(
      conversion.markdown == """
        > A quoted line.

        Plain, **strong** and a passage and a claim[^1].[^2]

        [other](<../01 Draft/01 One A B & “C”/02 .. .. etc.md>)

        [^1]: A *linked* note.

        [^2]: Inline *note*.

        """)
    let shown = conversion.document.text
    #expect(item.comments.map { shown.substring($0.range) } == ["a passage", "claim[1]."])
    #expect(item.comments.map(\.text) == ["A comment.", "why?"])
    #expect(item.comments.map(\.color) == [0xFF8000, nil])
    #expect(item.synopsis == "A card\nof two lines")
    #expect(item.notes == "To **do**.\n")
    #expect(item.label == "Idea")
    #expect(
      item.source.hasPrefix(
        """
        ---
        title: "One: A/B & “C”"
        synopsis: "A card\\nof two lines"
        label: "Idea"
        status: "First \\"Draft\\""
        ---

        > A quoted line.
        """))
    #expect(ParsedDocument(parsing: MarkdownSource(item.source)).text == shown)
  }

  @Test func `formats that Markdown lacks are kept in the layer`() throws {
    let folder = try project()
    let item = try ScrivenerProject.read(folder.path + "/Novel.scriv").items[2]
    let conversion = try #require(item.conversion)
    #expect(conversion.markdown == "Second red.\n")
    let red = conversion.layer.characters.runs.first { $0.set[.color] == .color(.rgb(0xFF0000)) }
    #expect(red.map { conversion.document.text.substring($0.range) } == "red")
    #expect(conversion.layer.paragraphs[0][.lineHeight] == .lineHeight(.multiple(264)))
  }

  @Test func `a project of version 2 is read`() throws {
    let folder = try WorkFolder()
    try folder.write(
      "Old.scriv/project.scrivx",
      """
      <ScrivenerProject Version="1.0"><Binder>
      <BinderItem ID="3" Type="DraftFolder"><Title>Draft</Title><Children>
      <BinderItem ID="12" Type="Text"><Title>Scene</Title></BinderItem></Children></BinderItem>
      </Binder></ScrivenerProject>
      """)
    try folder.write("Old.scriv/Files/Docs/12.rtf", Self.rtf("Words."))
    try folder.write("Old.scriv/Files/Docs/12_synopsis.txt", "Card")
    try folder.write("Old.scriv/Files/Docs/12_notes.rtf", Self.rtf("Notes."))
    let items = try ScrivenerProject.read(folder.path + "/Old.scriv").items
    #expect(items.map(\.conversion?.markdown) == [nil, "Words.\n"])
    #expect(items[1].synopsis == "Card")
    #expect(items[1].notes == "Notes.\n")
  }

  @Test func `links and file names cannot leave the project`() throws {
    let folder = try project()
    let data = folder.path + "/Novel.scriv/Files/Data"
    try folder.write("secret.rtf", Self.rtf("Secret."))
    let manager = FileManager.default
    try manager.createDirectory(atPath: data + "/" + Self.ids[3], withIntermediateDirectories: true)
    try manager.createSymbolicLink(
      atPath: data + "/\(Self.ids[3])/content.rtf", withDestinationPath: folder.path + "/secret.rtf"
    )
    try manager.createDirectory(atPath: folder.path + "/outside", withIntermediateDirectories: true)
    try manager.moveItem(
      atPath: folder.path + "/secret.rtf", toPath: folder.path + "/outside/content.rtf")
    try manager.createSymbolicLink(
      atPath: data + "/" + Self.ids[0], withDestinationPath: folder.path + "/outside")
    let items = try ScrivenerProject.read(folder.path + "/Novel.scriv").items
    #expect(items[0].conversion == nil)
    #expect(items[3].conversion == nil)
    for id in ["../../outside", "a/b", "", ".."] {
      try folder.write(
        "Bad.scriv/x.scrivx",
        "<ScrivenerProject><Binder><BinderItem UUID=\"\(id)\" Type=\"Text\"/></Binder></ScrivenerProject>"
      )
      #expect(throws: UserError.self) { try ScrivenerProject.read(folder.path + "/Bad.scriv") }
    }
  }

  @Test(arguments: [
    "", "<ScrivenerProject>", "<a/>", "not XML", "<ScrivenerProject></ScrivenerProject>",
    "<ScrivenerProject><Binder></ScrivenerProject>",
    "<!DOCTYPE a [<!ENTITY b \"&c;&c;\">]><ScrivenerProject>&b;</ScrivenerProject>",
    "<ScrivenerProject><Binder>"
      + String(repeating: "<BinderItem ID=\"1\"><Children>", count: 90)
      + String(repeating: "</Children></BinderItem>", count: 90) + "</Binder></ScrivenerProject>",
    "<ScrivenerProject><Binder>" + String(repeating: "<BinderItem ID=\"1\"/>", count: 20_001)
      + "</Binder></ScrivenerProject>",
  ])
  func `an invalid project, or one beyond the limits, is rejected in one line`(_ structure: String)
    throws
  {
    let folder = try WorkFolder()
    try folder.write("Bad.scriv/x.scrivx", structure)
    do {
      _ = try ScrivenerProject.read(folder.path + "/Bad.scriv")
      Issue.record("it was read")
    } catch { #expect(!error.message.contains("\n") && error.message.contains("x.scrivx")) }
  }

  @Test func `a folder without exactly one structure file is rejected`() throws {
    let folder = try WorkFolder()
    #expect(throws: UserError.self) { try ScrivenerProject.read(folder.path + "/none.scriv") }
    try folder.write("Empty.scriv/readme.txt", "x")
    #expect(throws: UserError.self) { try ScrivenerProject.read(folder.path + "/Empty.scriv") }
    try folder.write("Two.scriv/a.scrivx", "x")
    try folder.write("Two.scriv/b.scrivx", "x")
    #expect(throws: UserError.self) { try ScrivenerProject.read(folder.path + "/Two.scriv") }
    #expect(ScrivenerProject.isProject("a/Novel.scriv"))
    #expect(!ScrivenerProject.isProject("a/Novel.scrivx"))
  }

  @Test func `pictures are read only from their package`() throws {
    let folder = try project()
    let package = "Novel.scriv/Files/Data/\(Self.ids[3])/content.rtfd"
    try folder.write(
      package + "/TXT.rtf",
      Self.rtf(#"See {{\NeXTGraphic a b.png \width1 }\'ac} and {{\NeXTGraphic ../TXT.rtf }\'ac}."#))
    try folder.write(package + "/a b.png", "PNG")
    let item = try ScrivenerProject.read(folder.path + "/Novel.scriv").items[3]
    #expect(item.conversion?.markdown == "See ![](\(Self.ids[3])-picture-1.png) and .\n")
    #expect(item.images.map(\.name) == ["\(Self.ids[3])-picture-1.png"])
    #expect(item.images.map(\.bytes) == [Array("PNG".utf8)])
    #expect(item.conversion?.losses.map(\.kind) == [.images])
  }

  @Test func `typed markers of Scrivener for Windows are lists`() throws {
    let folder = try project()
    let rtf = Self.rtf(
      #"To do:\par \li720\fi-360\u8226?\tab eggs\par \li1440\u9702?\tab brown\par \li720\'95\tab milk\par"#
        + #" \pard Steps<$Scr_Ps::1>\par 1.\tab Boil<!$Scr_Ps::1>\par <$ScrKeepWithNext>2.\tab Eat<$Scr_Ps>\par"#
    )
    try folder.write("Novel.scriv/Files/Data/\(Self.ids[2])/content.rtf", rtf)
    try folder.write("Novel.scriv/Files/Data/\(Self.ids[2])/notes.rtf", Self.rtf(#"-\tab a\par"#))
    let item = try ScrivenerProject.read(folder.path + "/Novel.scriv").items[2]
    #expect(
      item.conversion?.markdown == """
        To do:

        - eggs
          - brown
        - milk

        Steps

        1. Boil
        2. Eat

        """)
    #expect(item.notes == "- a\n")
  }

  @Test func `a style whose tag ends a paragraph is of the next one`() throws {
    let folder = try project()
    try folder.write(
      "Novel.scriv/Files/Data/\(Self.ids[1])/content.rtf",
      Self.rtf(#"Plain.<$Scr_Ps::1>\par Quoted.\par <!$Scr_Ps::1>Plain.\par"#))
    let item = try ScrivenerProject.read(folder.path + "/Novel.scriv").items[1]
    #expect(item.conversion?.markdown == "Plain.\n\n> Quoted.\n\nPlain.\n")
  }
}
