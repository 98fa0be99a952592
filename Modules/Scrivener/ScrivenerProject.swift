package import Model
package import RichMarkdown
import RichText
import RichTextFormats
package import SystemSupport

/// A project of Scrivener, version 3 or 2, as Markdown documents. Only files of the project's folder are
/// read, never through links, and nothing is written.
package struct ScrivenerProject: Sendable {
  /// What is read of it.
  package struct Options: Sendable {
    /// Whether documents in the trash are read.
    package var includesTrash = false
    /// Whether only what Scrivener compiles is read.
    package var onlyCompiled = false
    /// How texts are converted. A prefix of pictures is not used.
    package var conversion = MarkdownConversion.Options()
    /// The usual ones.
    package init() {}
  }

  /// A comment on a passage.
  package struct Comment: Sendable, Equatable {
    /// The passage, in the rendered text.
    package var range: TextRange
    /// What it says.
    package var text: String
    /// The colour, `0xRRGGBB`; nil where none is known.
    package var color: UInt32?
  }

  /// A document or folder of the binder.
  package struct Item: Sendable {
    /// What Scrivener calls it: a UUID, or a number before version 3.
    package var id: String
    /// Its title; may be empty.
    package var title: String
    /// How deep it stands, from 0.
    package var level: Int
    /// The titles of what it stands in, the outermost first.
    package var folders: [String]
    /// A path for its file, relative and safe: `01 Draft/02 Chapter.md`. Files sort as the binder does.
    package var file: String
    /// Whether Scrivener compiles it.
    package var isIncludedInCompile: Bool
    /// Its text; nil for one without any.
    package var conversion: MarkdownConversion?
    /// Comments and annotations of its text, in order.
    package var comments: [Comment] = []
    /// Its card.
    package var synopsis: String?
    /// Its notes, as Markdown.
    package var notes: String?
    /// Its label.
    package var label: String?
    /// Its state.
    package var status: String?

    /// The pictures that the text names, to be stored beside the file.
    package var images: [(name: String, bytes: [UInt8])] {
      conversion?.images.map { ("\(id)-\($0.name)", $0.bytes) } ?? []
    }

    /// The file's text: title, synopsis, label and state as front matter, then the Markdown.
    package var source: String {
      let fields = [("title", title), ("synopsis", synopsis), ("label", label), ("status", status)]
      let lines = fields.compactMap { name, value -> String? in
        guard let value, !value.isEmpty else { return nil }
        return "\(name): \(Self.quoted(value))"
      }
      let text = conversion?.markdown ?? ""
      return lines.isEmpty
        ? text : "---\n\(lines.joined(separator: "\n"))\n---\n\(text.isEmpty ? "" : "\n")\(text)"
    }

    /// A text in double quotation marks, as YAML and JSON have it.
    private static func quoted(_ text: String) -> String {
      var result = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\" + String(scalar)
        case "\n": result += "\\n"
        case "\r", "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}":
          result += " "
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "\""
    }
  }

  /// The name of the project.
  package let title: String
  /// The documents and folders in the binder's order.
  package let items: [Item]
  /// What was not read, each in a line.
  package let losses: [String]

  /// Whether a path looks like that of a project.
  package static func isProject(_ path: String) -> Bool {
    path.lowercased().hasSuffix(".scriv") || path.lowercased().hasSuffix(".scriv/")
  }

  /// Reads a project. O(bytes).
  ///
  /// - Parameter path: the folder, `NAME.scriv`.
  /// - Throws: `notFound` for what is not there, `damaged` for what is no project, `conflict` for one
  ///   beyond the limits.
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
