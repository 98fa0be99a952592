package import Model
package import RichMarkdown
import RichText
import RichTextFormats
package import SystemSupport

/// A Scrivener project of version 3 or 2, converted to Markdown documents. Only files in the
/// project's folder are read, never through symbolic links, and nothing is written.
///
///     let project = try ScrivenerProject.read("/home/ada/Novel.scriv")
///     for item in project.items { print(item.file, item.source) }
package struct ScrivenerProject: Sendable {
  /// Options of the conversion.
  package struct Options: Sendable {
    /// Whether documents in the trash are read.
    package var includesTrash = false
    /// Whether only documents that Scrivener compiles are read.
    package var onlyCompiled = false
    /// The conversion of texts. If `imagePrefix` isn't nil, the id of each document replaces it.
    package var conversion = MarkdownConversion.Options()
    package init() {}
  }

  /// A comment on a passage.
  package struct Comment: Sendable, Equatable {
    /// The passage, in the rendered text.
    package var range: TextRange
    /// The text of the comment.
    package var text: String
    /// The colour, `0xRRGGBB`; nil if unknown.
    package var color: UInt32?
  }

  /// A document or folder of the binder.
  package struct Item: Sendable {
    /// Scrivener's id: a UUID, or a number before version 3.
    package var id: String
    /// The title; may be empty.
    package var title: String
    /// The depth in the binder, from 0.
    package var level: Int
    /// The titles of its parents, the outermost first.
    package var folders: [String]
    /// A safe, relative path for its file: `01 Draft/02 Chapter.md`. Files sort like the binder.
    package var file: String
    /// Whether Scrivener includes the document when it compiles the project.
    package var isIncludedInCompile: Bool
    /// The converted text; nil if it has none.
    package var conversion: MarkdownConversion?
    /// Comments and annotations of the text, in its order.
    package var comments: [Comment] = []
    /// The text of its index card.
    package var synopsis: String?
    /// Its notes, as Markdown.
    package var notes: String?
    /// The name of its label.
    package var label: String?
    /// The name of its status.
    package var status: String?

    /// The pictures that the text refers to, for files beside it.
    package var images: [(name: String, bytes: [UInt8])] {
      conversion?.images.map { ("\(id)-\($0.name)", $0.bytes) } ?? []
    }

    /// The content of its file: title, synopsis, label and status as front matter, then the
    /// Markdown.
    package var source: String {
      let fields = [("title", title), ("synopsis", synopsis), ("label", label), ("status", status)]
      let lines = fields.compactMap { name, value -> String? in
        guard let value, !value.isEmpty else { return nil }
        return "\(name): \(YAMLText.quoted(value, keepsLines: true))"
      }
      let text = conversion?.markdown ?? ""
      return lines.isEmpty
        ? text : "---\n\(lines.joined(separator: "\n"))\n---\n\(text.isEmpty ? "" : "\n")\(text)"
    }
  }

  /// The name of the project.
  package let title: String
  /// The documents and folders in the binder's order.
  package let items: [Item]
  /// The kinds of content that were not converted, each with the number of its occurrences, one a
  /// line.
  package let losses: [String]

  /// Returns whether a path has the extension of a project.
  package static func isProject(_ path: String) -> Bool {
    path.lowercased().hasSuffix(".scriv") || path.lowercased().hasSuffix(".scriv/")
  }

  /// Reads a project. O(bytes).
  ///
  /// - Parameter path: the folder, `NAME.scriv`.
  /// - Throws: `UserError` with the code `notFound` if a file is missing or cannot be read, or
  ///   `usage` if it isn't a project or exceeds a limit.
  package static func read(_ path: String, _ options: Options = Options()) throws(UserError)
    -> ScrivenerProject
  {
    var reader = try ProjectReader(path, options)
    try reader.read()
    return ScrivenerProject(
      title: reader.title, items: reader.items,
      losses: reader.losses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
  }
}
