import Anchoring
import CardStrategies
import CodeLexers
import Editing
import Formats
import Interchange
import Model
import Rendering
import Search
import Strategies
import Sync
import Transports
package import Workspace

extension PluginSet {
  /// All strategies included in Diple. This is their only list. Anchor strategies are tried in this
  /// order.
  ///
  /// ```swift
  /// let plugins = PluginSet.builtIn
  /// let anchorer = Anchorer(plugins.anchoring)
  /// ```
  package static var builtIn: PluginSet {
    var plugins = PluginSet()
    plugins.anchoring.register(KnownText())
    plugins.anchoring.register(EditMapping())
    plugins.anchoring.register(SnapshotDiff())
    plugins.anchoring.register(QuoteInContext())
    plugins.anchoring.register(Fuzzy())

    plugins.search.register(Literal())
    plugins.search.register(Pattern())
    plugins.search.register(AllWords())
    plugins.search.register(AnyWord())
    plugins.search.register(NearWords())
    plugins.search.register(FullText())
    plugins.search.register(ApproximateQuote())

    plugins.highlighting.register(Exact())
    plugins.highlighting.register(WholeWords())
    plugins.highlighting.register(WholeSentences())
    plugins.highlighting.register(EveryOccurrence())
    plugins.highlighting.register(KeyPhrases())
    plugins.highlighting.register(Links())
    plugins.highlighting.register(Definitions())

    plugins.renderers.register(TerminalRenderer())
    plugins.renderers.register(PlainRenderer())
    plugins.renderers.register(HTMLRenderer())

    plugins.lexers.register(TableLexer())

    plugins.exporters.register(MarkdownQuotes())
    plugins.exporters.register(HTMLPage())
    plugins.exporters.register(JSONHighlights())
    plugins.exporters.register(WebAnnotation())
    plugins.exporters.register(HypothesisExport())
    plugins.exporters.register(ReadwiseImport())
    plugins.exporters.register(CSVTable())
    plugins.exporters.register(OrgQuotes())
    plugins.exporters.register(AnkiCards())
    plugins.importers.register(WebAnnotationReader())
    plugins.importers.register(KindleClippings())
    plugins.importers.register(KindleNotebook())
    plugins.importers.register(ReadwiseCSV())
    plugins.importers.register(ReadwiseReaderCSV())
    plugins.importers.register(InstapaperCSV())
    plugins.importers.register(RaindropCSV())
    plugins.importers.register(Hypothesis())
    plugins.importers.register(JSONHighlightsReader())
    plugins.importers.register(CSVTableReader())
    plugins.importers.register(KOReaderMetadata())
    plugins.importers.register(KOReaderExport())
    plugins.importers.register(ZoteroAnnotations())
    plugins.importers.register(ZoteroNotes())
    plugins.importers.register(PDFAnnotations())
    plugins.importers.register(WallabagAnnotations())
    plugins.importers.register(ReadestNotes())
    plugins.importers.register(KoboDatabase())
    plugins.importers.register(AppleBooksDatabase())
    plugins.importers.register(CalibreAnnotations())
    plugins.importers.register(MoonReaderExport())
    plugins.importers.register(GooglePlayBooks())
    plugins.importers.register(MarkdownMarks())
    plugins.importers.register(MarkdownQuoteReader())
    plugins.importers.register(HTMLMarks())
    plugins.importers.register(PlainQuotes())

    for (id, summary, theme) in CardTheme.builtIn {
      plugins.cards.register(DrawnCard(theme), id, summary)
    }

    plugins.transports.register(Folder())
    plugins.transports.register(Git())
    plugins.transports.register(Rclone())
    for (id, summary) in Carried.all {
      plugins.transports.register(Carried(id), id, summary)
    }
    return plugins
  }
}
