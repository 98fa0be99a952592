/// Finds the rows of a library's tables in its file, page by page.
///
/// Pages to which the trees lead belong to the tree's table. Where something is broken, pages to which
/// nothing leads are looked at too, and belong to the table whose shape their rows have.
final class Salvage {
  private let file: PageFile
  /// By page, whether it was taken for something.
  private var isTaken: [Bool]
  /// The first page of each tree, by the table's or index's name.
  private var roots: [String: Int] = [:]
  /// Pages that could not be read or are not what leads to them says.
  private(set) var brokenPages: Set<Int> = []
  /// How many rows could not be read on pages of a table.
  private(set) var brokenRows: [String: Int] = [:]
  /// Pages with bytes that are neither a row's nor free: rows of them may be lost.
  private(set) var incompletePages: Set<Int> = []
  /// How many rows of a table were found that their pages no longer count.
  private(set) var uncountedRows: [String: Int] = [:]
  /// The first pages of the indexes of tables whose rows stand nowhere else.
  private var indexRoots: [(table: String, root: Int)] = []
  /// The numbers of the rows of those tables that were found.
  private var foundRows: [String: Set<Int64>] = [:]
  /// What made each table, by its name.
  private(set) var schema: [String: String] = [:]
  /// What the file's header says of the program that it belongs to, and of its version.
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

  /// The names of the tables that a Diple of any version has.
  private static let telling: Set<String> = ["library", "operation", "document", "highlight"]

  /// The tables with indexes whose rows cannot be made again of operations.
  private static let irreplaceable: Set<String> = ["snapshot", "journal", "file_edit"]

  /// Whether the file is a library, also where its header is damaged.
  var isLibrary: Bool {
    application == Schema.applicationID || Self.telling.isSubset(of: schema.keys)
  }

  private func readSchema() {
    walk(1, isKeyed: false) { page in
      page.forEachRecord(file.page) { record in
        guard let values = record?.values, values.count == 5, case .text(let name) = values[1],
          case .integer(let root) = values[3], root > 0
        else { return }
        let text = String(decoding: name, as: UTF8.self)
        guard root <= file.pageCount else {
          // The file is cut short.
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

  /// How many migrations the library says that it has had; nil where that cannot be read.
  var migrationCount: Int? {
    guard let root = roots["grdb_migrations"] else { return nil }
    var count = 0
    let taken = isTaken
    defer { isTaken = taken }
    walk(root, isKeyed: false) { page in
      page.forEachRecord(file.page) { if $0 != nil { count += 1 } }
      return true
    }
    return count > 0 ? count : nil
  }

  /// Gives each row of the tables to `body`. O(size of the file).
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
    // What belongs to anything else, or is free, is not looked at.
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

  /// Gives the rows of a page to `body`. False, with nothing given, when none is one of the table's.
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

  /// How many rows the indexes of a table know that were not found, after `forEachRow`.
  /// O(rows of the table).
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

  /// The table that most rows of a page may be of; nil when there is none, or several.
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

  /// Goes through the pages of a tree, each once.
  ///
  /// - Parameters:
  ///   - isOurs: whether a page that is not what it should be is a loss.
  ///   - visit: false for a page that does not belong here after all.
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

  /// Marks the pages of the list of free ones.
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
