import Model

/// The index of the words and trigrams in the newest text of each document.
///
/// The index is a cache. The table `text_index` records which text a document's entry was made
/// from, and by which version of the rules. An entry for another text or version is ignored, and
/// the document counts as not indexed. Entry numbers are never reused, so remains of an old entry
/// cannot be confused with a newer one.
enum TextIndex {
  /// The version of the index's content.
  static let version = 1 << 8 | TextFolding.version

  /// The SQL that creates the tables.
  ///
  /// Neither full-text table stores a text. The table of words stores the positions of words, for
  /// phrases and ranking; the table of trigrams stores only which documents contain a trigram.
  /// `IndexTerms` generates the content of both from letters and digits, so the simplest tokenizer,
  /// which splits at spaces, suffices.
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

  /// The size in bytes of new entries that are collected in memory before they are written as one
  /// segment. Fewer segments need less merging later.
  private static let gathered = 32 << 20

  /// One of the two full-text tables.
  enum Table: String, CaseIterable, CustomStringConvertible {
    case words = "text_words"
    case trigrams = "text_trigrams"

    /// The table's name in SQL.
    var description: String { rawValue }

    /// The marker word that every entry contains.
    var mark: String { self == .words ? IndexTerms.wordMark : IndexTerms.trigramMark }
  }

  /// Returns the table and the query that find the texts that may match a filter; nil if every text
  /// may match.
  static func query(_ filter: TextFilter) -> (Table, String)? {
    if case .words(let words) = filter { return (.words, wordQuery(words)) }
    return trigramQuery(filter).map { (.trigrams, $0) }
  }

  /// Returns a query of the trigram table; nil if every text may match.
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

  /// Returns a query of the table of words.
  private static func wordQuery(_ filter: WordFilter) -> String {
    func phrase(_ phrase: WordFilter.Phrase) -> String {
      // Words consist of letters and digits, so there are no quotation marks to escape.
      "\"\(phrase.words.joined(separator: " "))\"" + (phrase.isPrefix ? " *" : "")
    }
    return filter.alternatives.map { part in
      let wanted = "(" + part.wanted.map(phrase).joined(separator: " AND ") + ")"
      // Excluded words are checked in the text itself: the index contains folded words, which are
      // too imprecise to exclude a text.
      return wanted
    }.joined(separator: " OR ")
  }
}
