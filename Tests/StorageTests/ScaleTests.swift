import Foundation
import Model
import TestSupport
import Testing

@testable import Storage

/// Tests lists, pages and summaries of large libraries.
@Suite struct ScaleTests {
  let files = TemporaryStore()

  /// Creates documents and highlights whose names and positions are not in the order of creation.
  /// Some highlights are orphaned, some tagged, some in the trash.
  private func fill(_ generator: inout SeededGenerator) throws -> Store {
    let store = try files.open()
    try store.write { transaction in
      for number in 0..<12 {
        let document = try transaction.document("\((number * 7) % 12).md", "the quick brown fox")
        for index in 0..<Int.random(in: 0...9, using: &generator) {
          let start = Int.random(in: 0...8, using: &generator)
          var place = selector("the quick brown «fox»")
          place.position = TextRange(utf16: start..<start + 3)
          let highlight = try transaction.createHighlight(
            in: document.id, selector: place, color: .blue, note: "",
            tags: index % 3 == 0 ? ["x"] : [],
            anchor: index % 4 == 0
              ? .orphan : Anchor(range: place.position, state: .exact, score: 1, method: "marked"))
          if index == 5 { _ = try transaction.setTrashed(true, of: highlight.id) }
        }
      }
    }
    return store
  }

  @Test func `pages of any size contain the complete list for each filter`() throws {
    let seed = SeededGenerator.runSeed
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let store = try fill(&generator)
    let filters = [
      HighlightFilter(), HighlightFilter(tags: ["x"]), HighlightFilter(states: [.orphaned]),
      HighlightFilter(trash: .included), HighlightFilter(trash: .only),
      HighlightFilter(tags: ["x"], trash: .only), HighlightFilter(tags: ["none"]),
    ]
    try store.read { transaction in
      let all = try transaction.highlights(HighlightFilter(trash: .included))
      #expect(Set(all.map(\.id)).count == all.count && all.count > 12)
      let paths = try Dictionary(
        uniqueKeysWithValues: transaction.documents(includingRemoved: true).map {
          ($0.id, $0.path.string)
        })
      for filter in filters {
        let wanted = all.filter { highlight in
          let isMeant =
            switch filter.trash {
            case .excluded: !highlight.isTrashed
            case .included: true
            case .only: highlight.isTrashed
            }
          return isMeant && Set(filter.tags).isSubset(of: highlight.tags)
            && filter.states?.contains(highlight.anchor.state) != false
        }
        let sorted = wanted.sorted {
          (paths[$0.document]!, $0.anchor.range?.utf16.lowerBound ?? .max, $0.id)
            < (paths[$1.document]!, $1.anchor.range?.utf16.lowerBound ?? .max, $1.id)
        }
        #expect(try transaction.highlights(filter) == sorted)
        var stateless = filter
        stateless.states = nil
        let homes = Set(try transaction.highlights(stateless).map(\.document))
        let documents = try transaction.documents(of: filter)
        #expect(Set(documents.map(\.id)) == homes && documents.count == homes.count)
        #expect(documents.map(\.path.string) == documents.map(\.path.string).sorted())
        for limit in [1, 2, 7, 50, 1_000] {
          var found: [Highlight] = []
          var cursor: HighlightCursor?
          repeat {
            let page = try transaction.highlights(filter, after: cursor, limit: limit)
            #expect(page.highlights.count == limit || page.next == nil)
            found += page.highlights
            cursor = page.next
          } while cursor != nil
          #expect(found == sorted, "\(filter) by \(limit)")
        }
      }
    }
  }

  @Test func `the outline of a step summarises its operations, whether it is stored or not`() throws
  {
    let store = try files.open()
    let count = StepOutline.limit
    let group = try store.write { transaction in
      let document = try transaction.document("a.md")
      for _ in 0..<count { _ = try transaction.mark(document, "the «quick» fox", tags: ["x"]) }
      return transaction.group
    }
    try store.write { transaction in
      transaction.journal(JournalStep(group: group))
      for id in try transaction.highlightIDs(named: "5") {
        _ = try transaction.setColor(.pink, of: id)
      }
      _ = try transaction.document("b.md")
    }
    try store.read { (transaction) throws in
      let entry = try #require(try transaction.journal(limit: 9).first)
      let outline = try transaction.outline(of: entry)
      let operations = try transaction.operations(of: entry)
      #expect(outline.count == operations.count)
      #expect(outline.operations == Array(operations.prefix(count)))
      #expect(outline.created.documents == 2 && outline.created.highlights == count)
      #expect(outline.fields == Set(operations.map(\.field)))
      #expect(outline.document != nil)
    }
    // Delete the stored summary, which libraries of earlier versions lack. The outline is then
    // computed from the operations.
    let stored = try store.read { try $0.outline(of: try $0.journal(limit: 1)[0]) }
    try files.sqlite("UPDATE journal SET outline = NULL")
    let read = try store.read { try $0.outline(of: try $0.journal(limit: 1)[0]) }
    #expect(
      (read.count, read.created, read.fields) == (stored.count, stored.created, stored.fields))
    #expect(read.document == stored.document)
  }

  @Test func `the journal can be continued before a step`() throws {
    let store = try files.open()
    for name in ["a", "b", "c"] { _ = try store.write { try $0.document("\(name).md") } }
    #expect(try store.read { try $0.journal(limit: 2).map(\.id) } == [3, 2])
    #expect(try store.read { try $0.journal(before: 2, limit: 2).map(\.id) } == [1])
  }

  @Test(arguments: [
    (HighlightFilter(), "SCAN d USING INDEX document_path"),
    (HighlightFilter(tags: ["x"]), "SEARCH t USING COVERING INDEX tag_name"),
    (HighlightFilter(trash: .only), "SCAN h USING INDEX highlight_trashed"),
  ])
  func `a list uses an index instead of scanning all highlights`(
    _ filter: HighlightFilter, _ plan: String
  ) throws {
    try files.open().read { transaction in
      let (sql, arguments) = ReadTransaction.query(filter, from: nil)
      let steps = try transaction.list("EXPLAIN QUERY PLAN " + sql, arguments) { try $0.text(3) }
      #expect(steps.first?.hasPrefix(plan) == true, "\(steps)")
      // The tags of one highlight are a table with a few rows.
      #expect(
        !steps.dropFirst().contains { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN (") }, "\(steps)")
      let isWhole = filter == HighlightFilter()
      #expect(steps.contains { $0.contains("FOR ORDER BY") } == !isWhole, "\(steps)")
    }
  }
}
