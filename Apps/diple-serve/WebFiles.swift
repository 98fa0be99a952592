/// The embedded files of the pages. Each file in the folder `Web` must have an entry here.
enum WebFiles {
  /// Returns the contents of a file, or nil for an unknown name.
  @Sendable
  static func bytes(_ name: String) -> [UInt8]? {
    switch name {
    case "document.html": PackageResources.document_html
    case "index.html": PackageResources.index_html
    case "access.js": PackageResources.access_js
    case "api.js": PackageResources.api_js
    case "appearance.js": PackageResources.appearance_js
    case "base.css": PackageResources.base_css
    case "clipboard.js": PackageResources.clipboard_js
    case "compare.js": PackageResources.compare_js
    case "continuing.js": PackageResources.continuing_js
    case "devices.css": PackageResources.devices_css
    case "devices.js": PackageResources.devices_js
    case "document.css": PackageResources.document_css
    case "document.js": PackageResources.document_js
    case "documents.js": PackageResources.documents_js
    case "dom.js": PackageResources.dom_js
    case "drafts.js": PackageResources.drafts_js
    case "editor.js": PackageResources.editor_js
    case "events.js": PackageResources.events_js
    case "excerpts.js": PackageResources.excerpts_js
    case "find.js": PackageResources.find_js
    case "folded.js": PackageResources.folded_js
    case "format.js": PackageResources.format_js
    case "highlights.js": PackageResources.highlights_js
    case "icon.svg": PackageResources.icon_svg
    case "icons.js": PackageResources.icons_js
    case "keys.js": PackageResources.keys_js
    case "library.css": PackageResources.library_css
    case "library.js": PackageResources.library_js
    case "live.js": PackageResources.live_js
    case "mapping.js": PackageResources.mapping_js
    case "marking.js": PackageResources.marking_js
    case "marks.js": PackageResources.marks_js
    case "menu.js": PackageResources.menu_js
    case "nothing.html": PackageResources.nothing_html
    case "notices.js": PackageResources.notices_js
    case "noting.js": PackageResources.noting_js
    case "outline.js": PackageResources.outline_js
    case "pair.js": PackageResources.pair_js
    case "pictures.js": PackageResources.pictures_js
    case "places.js": PackageResources.places_js
    case "printing.js": PackageResources.printing_js
    case "reader.js": PackageResources.reader_js
    case "review.js": PackageResources.review_js
    case "search.js": PackageResources.search_js
    case "selection.js": PackageResources.selection_js
    case "session.js": PackageResources.session_js
    case "share.js": PackageResources.share_js
    case "text.css": PackageResources.text_css
    case "text.js": PackageResources.text_js
    case "theme.js": PackageResources.theme_js
    default: nil
    }
  }
}
