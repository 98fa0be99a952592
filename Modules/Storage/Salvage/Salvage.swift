/// Finds the rows of a library's tables in its file, page by page.
///
/// Pages that are reachable from a tree's root belong to that tree's table. If anything is damaged,
/// unreachable pages are read too, and are assigned to the table whose columns fit their rows.
final class Salvage {
  private let file: PageFile
  /// For each page, whether it is already assigned.
  private var isTaken: [Bool]
  /// The root page of each tree, by the name of the table or index.
  private var roots: [String: Int] = [:]
  /// Pages that cannot be read, or whose type does not match the page that refers to them.
  private(set) var brokenPages: Set<Int> = []
  /// The number of unreadable rows on the pages of each table.
  private(set) var brokenRows: [String: Int] = [:]
  /// Pages with bytes of unknown usage, which may be lost rows.
  private(set) var incompletePages: Set<Int> = []
  /// The number of rows in each table that were found beyond a page's cell count.
  private(set) var uncountedRows: [String: Int] = [:]
  /// The root pages of the indexes of tables whose rows are stored nowhere else.
  private var indexRoots: [(table: String, root: Int)] = []
  /// The numbers of the rows found in the tables of `indexRoots`.
  private var foundRows: [String: Set<Int64>] = [:]
  /// The SQL that created each table, by its name.
  private(set) var schema: [String: String] = [:]
  /// The application identifier and the schema version in the file's header.
  let application: Int
  let version: Int

  init(_ file: PageFile) {
    self.file = file
    isTaken = [Bool](repeating: false, count: file.pageCount + 1)
    let header = file.page(1)
    func number(_ index: Int) -> Int {
      header.count < 100 ? 0 : header[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    application = number(68)
    version = number(60)
    readSchema()
  }

  /// The tables that a library of any version has.
  private static let distinctive: Set<String> = ["library", "operation", "document", "highlight"]

  /// The tables with an index whose rows cannot be reconstructed from operations.
  private static let irreplaceable: Set<String> = ["snapshot", "journal", "file_edit"]

  /// Whether the file is a library, even if its header is damaged.
  var isLibrary: Bool {
    application == Schema.applicationID || Self.distinctive.isSubset(of: schema.keys)
  }

  private func readSchema() {
    walk(1, isKeyed: false) { page in
      page.forEachRecord(file.page) { record in
        guard let values = record?.values, values.count == 5, case .text(let name) = values[1],
          case .integer(let root) = values[3], root > 0
        else { return }
        let text = String(decoding: name, as: UTF8.self)
        guard root <= file.pageCount else {
          // The root page is missing because the file is truncated.
          if TableShape.names.contains(text), root <= Int32.max { brokenPages.insert(Int(root)) }
          return
        }
        roots[text] = Int(root)
        if values[0] == .text(Array("index".utf8)), case .text(let owner) = values[2] {
          let table = String(decoding: owner, as: UTF8.self)
          if Self.irreplaceable.contains(table) { indexRoots.append((table, Int(root))) }
        }
        if case .text(let sql) = values[4] { schema[text] = String(decoding: sql, as: UTF8.self) }
      }
      return true
    }
  }

  /// Calls `body` with each row of the tables. O(size of the file).
  func forEachRow(
    of shapes: [TableShape], _ body: (TableShape, RawRecord) throws -> Void
  ) throws {
    for shape in shapes {
      guard let root = roots[shape.name] else { continue }
      try walk(root, isKeyed: !shape.hasRowID) { page in try take(page, shape, body) }
    }
    guard
      !brokenPages.isEmpty || !incompletePages.isEmpty
        || shapes.contains(where: { roots[$0.name] == nil })
    else { return }
    // Assign the pages of other trees and the free pages, so that they are not searched.
    for (_, root) in roots where !isTaken[root] {
      for isKeyed in [true, false] { walk(root, isKeyed: isKeyed, isOurs: false) { _ in true } }
    }
    takeFreePages()
    for number in 1..<max(2, isTaken.count) where !isTaken[number] {
      guard let page = TreePage(file.page(number)), let shape = shape(of: page, among: shapes)
      else {
        continue
      }
      _ = try take(page, shape, body)
      brokenPages.remove(number)
    }
  }

  /// Passes the rows of a page to `body`. Returns false without calling it if the page has rows and
  /// none fits the table.
  private func take(
    _ page: TreePage, _ shape: TableShape, _ body: (TableShape, RawRecord) throws -> Void
  ) throws -> Bool {
    guard page.kind != .rowInterior else { return true }
    var rows: [RawRecord] = []
    var broken = 0
    page.forEachRecord(file.page) { record in
      if let record, shape.fits(record) { rows.append(record) } else { broken += 1 }
    }
    guard !rows.isEmpty || broken == 0 else { return false }
    brokenRows[shape.name, default: 0] += broken
    if page.uncountedCells > 0 {
      uncountedRows[shape.name, default: 0] += min(page.uncountedCells, rows.count)
    }
    let isIrreplaceable = Self.irreplaceable.contains(shape.name)
    for row in rows {
      if isIrreplaceable, let number = row.rowID {
        foundRows[shape.name, default: []].insert(number)
      }
      try body(shape, row)
    }
    return true
  }

  /// The number of rows that a table's indexes refer to but that were not found. To be called after
  /// ``forEachRow(of:_:)``. O(rows of the table).
  func missingRows(of table: String) -> Int {
    var missing: Set<Int64> = []
    let taken = isTaken
    defer { isTaken = taken }
    isTaken = [Bool](repeating: false, count: taken.count)
    for (owner, root) in indexRoots where owner == table {
      walk(root, isKeyed: true, isOurs: false) { page in
        page.forEachRecord(file.page) { record in
          guard case .integer(let number)? = record?.values.last,
            foundRows[table]?.contains(number) != true
          else { return }
          missing.insert(number)
        }
        return true
      }
    }
    return missing.count
  }

  /// Returns the table that fits most rows of a page; nil if no table fits more than half of them
  /// or several fit equally well.
  private func shape(of page: TreePage, among shapes: [TableShape]) -> TableShape? {
    guard page.kind != .rowInterior, page.cellCount > 0 else { return nil }
    var votes = [Int](repeating: 0, count: shapes.count)
    page.forEachRecord(file.page) { record in
      guard let record else { return }
      for (index, shape) in shapes.enumerated() where shape.fits(record) { votes[index] += 1 }
    }
    let most = votes.max() ?? 0
    guard most * 2 > page.cellCount, votes.filter({ $0 == most }).count == 1 else { return nil }
    return shapes[votes.firstIndex(of: most)!]
  }

  /// Visits the pages of a tree, each once.
  ///
  /// - Parameters:
  ///   - root: the number of the root page.
  ///   - isKeyed: whether the tree is an index or a `WITHOUT ROWID` table.
  ///   - isOurs: whether damaged pages are recorded as broken.
  ///   - visit: processes a page; returns false if the page does not belong to the tree.
  private func walk(
    _ root: Int, isKeyed: Bool, isOurs: Bool = true, _ visit: (TreePage) throws -> Bool
  ) rethrows {
    var pages = [root]
    while let number = pages.popLast() {
      guard number > 0, number < isTaken.count, !isTaken[number] else {
        if isOurs, number <= 0 || number >= isTaken.count { brokenPages.insert(number) }
        continue
      }
      guard let page = TreePage(file.page(number), header: number == 1 ? 100 : 0),
        (page.kind == .keyLeaf || page.kind == .keyInterior) == isKeyed
      else {
        if isOurs { brokenPages.insert(number) }
        continue
      }
      isTaken[number] = true
      guard try visit(page) else {
        isTaken[number] = false
        if isOurs { brokenPages.insert(number) }
        continue
      }
      if isOurs, !page.isWhole { incompletePages.insert(number) }
      pages += page.children.reversed()
    }
  }

  /// Marks the pages of the free list as assigned.
  private func takeFreePages() {
    let header = file.page(1)
    guard header.count >= 40 else { return }
    func number(_ bytes: [UInt8], _ index: Int) -> Int {
      bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    var next = number(header, 32)
    while next > 0, next < isTaken.count, !isTaken[next] {
      let trunk = file.page(next)
      guard trunk.count == file.pageSize else { return }
      isTaken[next] = true
      let count = min(number(trunk, 4), file.pageSize / 4 - 2)
      for index in 0..<count {
        let leaf = number(trunk, 8 + 4 * index)
        if leaf > 0, leaf < isTaken.count { isTaken[leaf] = true }
      }
      next = number(trunk, 0)
    }
  }
}
