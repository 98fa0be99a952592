package import Interchange
package import Model
package import SystemSupport
package import Workspace

extension Library {
  /// Returns the highlights that match a filter as regions of a file that Diple maintains.
  ///
  /// - Throws: `usage` if the template has no regions.
  package func managedContent(
    _ filter: HighlightFilter, _ template: Template, _ options: ExportOptions
  ) throws(UserError) -> ManagedContent {
    let records = try forEachRecord(filter, into: [AnnotationRecord](), options) { $0.append($1) }
    var content: ManagedContent
    do throws(Template.Problem) { content = try template.managed(records) } catch {
      throw UserError(.usage, "the template: \(error)")
    }
    func inert(_ text: String) -> String {
      var output = InertOutput("")
      output.write(text)
      return output.base
    }
    (content.before, content.after) = (inert(content.before), inert(content.after))
    content.regions = content.regions.map { ($0.key, inert($0.content)) }
    return content
  }

  /// Returns the keys of the regions whose content is no longer in the library: a highlight that is
  /// in the trash or unknown, or a document without highlights.
  ///
  /// Keys of an unknown form are not returned.
  ///
  /// - Throws: `damaged` or `conflict` if the library cannot be read.
  package func obsoleteRegions(_ keys: Set<String>) throws(UserError) -> Set<String> {
    var obsolete: Set<String> = []
    for key in keys {
      let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "hl":
        guard let id = Highlight.ID(parts[1]) else { continue }
        guard let found = try? highlight(id: id), !found.isTrashed,
          try document(id: found.document).state != .removed
        else {
          obsolete.insert(key)
          continue
        }
      case "doc", "end":
        guard let id = Document.ID(parts[1]) else { continue }
        let hasAny = try gatherHighlights(HighlightFilter(documents: [id]), into: false) {
          any, _, _ in
          any = true
          return false
        }
        if !hasAny { obsolete.insert(key) }
      default: continue
      }
    }
    return obsolete
  }
}
