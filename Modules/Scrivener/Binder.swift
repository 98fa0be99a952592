import Articles
import Model
import SystemSupport

/// The structure of a project: the documents and folders of its binder.
struct Binder {
  /// A document or folder.
  struct Item {
    /// The name of its files: a UUID, or a number before version 3.
    var id: String
    var type: String
    var title: String
    var level: Int
    var parent: Int
    var isIncludedInCompile: Bool
    var isInTrash: Bool
    var label: String?
    var status: String?
    var hasChildren = false
  }

  private(set) var items: [Item] = []
  private(set) var isVersion3 = false

  /// The maximum number of items.
  static let itemLimit = 20_000
  /// The maximum depth of nesting.
  static let depthLimit = 60

  /// Parses the structure. O(bytes).
  ///
  /// - Throws: `UserError` with the code `usage` if it isn't a project or exceeds a limit.
  init(_ bytes: [UInt8], _ name: String) throws(UserError) {
    let tree: MarkupTree
    do { tree = try XMLReader.read(bytes) } catch {
      throw UserError(.usage, "\(name) is not a Scrivener project: \(error.description)")
    }
    guard tree.isComplete else { throw UserError(.usage, "\(name) has too many elements") }
    guard let project = tree.first("scrivenerproject"),
      let binder = tree.first("binder", in: project)
    else { throw UserError(.usage, "\(name) is not a Scrivener project: it has no binder") }
    let version = tree.attribute("version", of: project) ?? ""
    isVersion3 = version.hasPrefix("2")
    let labels = Self.names(tree, "labelsettings", "label")
    let statuses = Self.names(tree, "statussettings", "status")
    var pending = Self.entries(tree, binder).reversed().map {
      (node: $0, level: 0, parent: -1, isInTrash: false)
    }
    while let next = pending.popLast() {
      guard items.count < Self.itemLimit else {
        throw UserError(.usage, "\(name) has more than \(Self.itemLimit.counted("document"))")
      }
      guard next.level < Self.depthLimit else {
        throw UserError(.usage, "\(name) is nested more than \(Self.depthLimit) levels deep")
      }
      guard
        let id = tree.attribute("uuid", of: next.node) ?? tree.attribute("id", of: next.node),
        Self.isID(id)
      else { throw UserError(.usage, "\(name) has a document without a valid id") }
      let type = tree.attribute("type", of: next.node) ?? ""
      let meta = Self.child(tree, next.node, "metadata")
      func text(_ element: String) -> String? {
        meta.flatMap { Self.child(tree, $0, element) }.map { tree.text(of: $0) }
      }
      let isInTrash = next.isInTrash || type == "TrashFolder"
      let index = items.count
      items.append(
        Item(
          id: id, type: type,
          title: Self.child(tree, next.node, "title").map { tree.text(of: $0) } ?? "",
          level: next.level, parent: next.parent,
          isIncludedInCompile: text("includeincompile")?.lowercased() == "yes",
          isInTrash: isInTrash,
          label: text("labelid").flatMap { labels[$0] },
          status: text("statusid").flatMap { statuses[$0] }))
      guard let children = Self.child(tree, next.node, "children") else { continue }
      let entries = Self.entries(tree, children)
      items[index].hasChildren = !entries.isEmpty
      for node in entries.reversed() {
        pending.append((node, next.level + 1, index, isInTrash))
      }
    }
  }

  private static func entries(_ tree: MarkupTree, _ node: Int) -> [Int] {
    tree.elements(in: node).filter { tree.name(of: $0) == "binderitem" }
  }

  static func child(_ tree: MarkupTree, _ node: Int, _ name: String) -> Int? {
    tree.elements(in: node).first { tree.name(of: $0) == name }
  }

  /// Returns the names of labels or statuses by their ids, except the id -1, which stands for no
  /// label.
  private static func names(_ tree: MarkupTree, _ settings: String, _ element: String) -> [String:
    String]
  {
    guard let node = tree.first(settings) else { return [:] }
    var result: [String: String] = [:]
    for part in tree.descendants(of: node) where tree.name(of: part) == element {
      guard let id = tree.attribute("id", of: part), id != "-1" else { continue }
      result[id] = tree.text(of: part)
    }
    return result
  }

  /// Whether an id is a valid file name: 1 to 64 letters, digits and hyphens.
  static func isID(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "-") || 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20
      }
  }
}
