import Model

/// The index of the newest text of each document: which words and which trigrams stand in it.
///
/// It is a cache. `text_index` says of which text a document's entry was made, and by which rules: an
/// entry of another text, or of other rules, is not believed, and the document counts as one that is
/// not indexed. Entries have a number of their own that is never used again, so that what is left of
/// an old one can be taken for no other's.
enum TextIndex {
  /// The version of what is indexed.
  static let version = 1 << 8 | TextFolding.version

  /// What makes the tables. Neither of the two keeps a text: the words' has their places, for phrases
  /// and ranks, the trigrams' only the documents. Both are given words of letters and digits alone,
  /// made by `IndexTerms`, which the simplest tokenizer divides at blanks.
  static let tables = """
    CREATE TABLE text_index (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      document INTEGER NOT NULL UNIQUE REFERENCES document (key) ON DELETE CASCADE,
      digest BLOB NOT NULL,
      version INTEGER NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE text_words USING fts5 (words, content = '', tokenize = 'ascii');
    CREATE VIRTUAL TABLE text_trigrams USING fts5 (
      trigrams, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
    INSERT INTO text_words (text_words, rank) VALUES ('hashsize', \(gathered));
    INSERT INTO text_trigrams (text_trigrams, rank) VALUES ('hashsize', \(gathered));
    INSERT INTO text_words (text_words, rank) VALUES ('automerge', 16);
    INSERT INTO text_trigrams (text_trigrams, rank) VALUES ('automerge', 16);
    """

  /// How many bytes of new entries are gathered in memory before they are written as one segment:
  /// the fewer segments, the less is merged later.
  private static let gathered = 32 << 20

  /// A table of the index.
  enum Table: String, CaseIterable, CustomStringConvertible {
    case words = "text_words"
    case trigrams = "text_trigrams"

    /// The name of the table.
    var description: String { rawValue }

    /// The word that every entry has.
    var mark: String { self == .words ? IndexTerms.wordMark : IndexTerms.trigramMark }
  }

  /// The table that knows which texts may fit a filter, with the query for it; nil when every text may
  /// fit.
  static func query(_ filter: TextFilter) -> (Table, String)? {
    if case .words(let words) = filter { return (.words, wordQuery(words)) }
    return trigramQuery(filter).map { (.trigrams, $0) }
  }

  /// A query of the trigram table; nil when every text may fit.
  private static func trigramQuery(_ filter: TextFilter) -> String? {
    switch filter {
    case .everything, .words: return nil
    case .substring(let text):
      let terms = IndexTerms.trigrams(of: text)
      return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    case .all(let parts):
      let queries = parts.compactMap(trigramQuery)
      return queries.isEmpty ? nil : queries.map { "(\($0))" }.joined(separator: " AND ")
    case .any(let parts):
      var queries: [String] = []
      for part in parts {
        guard let query = trigramQuery(part) else { return nil }
        queries.append("(\(query))")
      }
      return queries.isEmpty ? nil : queries.joined(separator: " OR ")
    }
  }

  /// A query of the table of words.
  private static func wordQuery(_ filter: WordFilter) -> String {
    func phrase(_ phrase: WordFilter.Phrase) -> String {
      // The words hold no quotation marks: they are letters and digits alone.
      "\"\(phrase.words.joined(separator: " "))\"" + (phrase.isPrefix ? " *" : "")
    }
    return filter.alternatives.map { part in
      let wanted = "(" + part.wanted.map(phrase).joined(separator: " AND ") + ")"
      // What must not stand there is left to the strategy: an index of folded words knows too little
      // to leave a text out.
      return wanted
    }.joined(separator: " OR ")
  }
}
