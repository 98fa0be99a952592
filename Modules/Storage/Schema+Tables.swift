extension Schema {
  /// The tables and indexes, ordered by name. Each entry is a line with its type, name and table,
  /// followed by the statement that creates it, as SQLite stores it. The tables that SQLite creates
  /// for the full-text tables are included.
  static let tables: StaticString = """
    table alias alias
    CREATE TABLE alias (
      document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
      replica INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (document, sequence, replica)
    ) STRICT, WITHOUT ROWID
    index alias_other alias
    CREATE INDEX alias_other ON alias (sequence, replica)
    table anchor anchor
    CREATE TABLE anchor (
      highlight INTEGER NOT NULL REFERENCES highlight (key) ON DELETE CASCADE,
      selector INTEGER NOT NULL,
      digest BLOB NOT NULL,
      render_version INTEGER NOT NULL,
      turn INTEGER NOT NULL,
      start INTEGER,
      end INTEGER,
      state TEXT NOT NULL,
      score REAL NOT NULL,
      runner_up REAL NOT NULL,
      method TEXT NOT NULL,
      line INTEGER,
      column INTEGER,
      PRIMARY KEY (highlight, selector, digest, render_version)
    ) STRICT, WITHOUT ROWID
    table color_label color_label
    CREATE TABLE color_label (
      color TEXT PRIMARY KEY,
      name TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    table copied_format copied_format
    CREATE TABLE copied_format (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    table document document
    CREATE TABLE document (
      key INTEGER PRIMARY KEY,
      replica INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      path TEXT NOT NULL DEFAULT '',
      title TEXT NOT NULL DEFAULT '',
      trashed INTEGER NOT NULL DEFAULT 0,
      present INTEGER NOT NULL DEFAULT 0,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      source_digest BLOB,
      text_digest BLOB,
      render_version INTEGER,
      size INTEGER, mtime INTEGER, ctime INTEGER,
      inode INTEGER, device INTEGER, checked INTEGER,
      seen INTEGER, dialect TEXT, bound INTEGER NOT NULL DEFAULT 1, place TEXT, alias INTEGER, \
    number INTEGER,
      UNIQUE (sequence, replica)
    ) STRICT
    index document_alias document
    CREATE INDEX document_alias ON document (alias) WHERE alias IS NOT NULL
    index document_missing document
    CREATE INDEX document_missing ON document (key) WHERE trashed = 0 AND present = 0
    index document_number document
    CREATE UNIQUE INDEX document_number ON document (number) WHERE number IS NOT NULL
    index document_path document
    CREATE INDEX document_path ON document (path)
    table document_property document_property
    CREATE TABLE document_property (
      document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (document, name)
    ) STRICT, WITHOUT ROWID
    table file_edit file_edit
    CREATE TABLE file_edit (
      entry INTEGER NOT NULL REFERENCES journal (entry) ON DELETE CASCADE,
      document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
      before BLOB NOT NULL,
      after BLOB NOT NULL,
      places INTEGER NOT NULL,
      size INTEGER NOT NULL,
      patch BLOB NOT NULL,
      result_size INTEGER,
      result BLOB,
      pending INTEGER NOT NULL,
      UNIQUE (entry, document)
    ) STRICT
    index file_edit_pending file_edit
    CREATE INDEX file_edit_pending ON file_edit (entry) WHERE pending = 1
    table highlight highlight
    CREATE TABLE highlight (
      key INTEGER PRIMARY KEY,
      replica INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
      color TEXT NOT NULL DEFAULT 'yellow',
      note TEXT NOT NULL DEFAULT '',
      trashed INTEGER NOT NULL DEFAULT 0,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      exact TEXT NOT NULL DEFAULT '',
      start INTEGER NOT NULL DEFAULT 0,
      end INTEGER NOT NULL DEFAULT 0,
      text_digest BLOB,
      render_version INTEGER NOT NULL DEFAULT 0, detached INTEGER NOT NULL DEFAULT 0, \
    selector INTEGER NOT NULL DEFAULT 0, origin_key TEXT, format TEXT, home INTEGER, number INTEGER,
      UNIQUE (sequence, replica)
    ) STRICT
    index highlight_document highlight
    CREATE INDEX highlight_document ON highlight (document)
    index highlight_format highlight
    CREATE INDEX highlight_format ON highlight (document) WHERE format IS NOT NULL
    index highlight_home highlight
    CREATE INDEX highlight_home ON highlight (home) WHERE home IS NOT NULL
    index highlight_number highlight
    CREATE UNIQUE INDEX highlight_number ON highlight (number) WHERE number IS NOT NULL
    index highlight_origin highlight
    CREATE INDEX highlight_origin ON highlight (origin_key) WHERE origin_key IS NOT NULL
    index highlight_trashed highlight
    CREATE INDEX highlight_trashed ON highlight (document) WHERE trashed = 1
    table journal journal
    CREATE TABLE journal (
      entry INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      kind TEXT NOT NULL,
      target INTEGER,
      reversed INTEGER NOT NULL DEFAULT 0,
      act INTEGER,
      last INTEGER,
      label TEXT NOT NULL DEFAULT ''
    , outline TEXT) STRICT
    index journal_act journal
    CREATE UNIQUE INDEX journal_act ON journal (act)
    table library library
    CREATE TABLE library (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      replica INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      clock INTEGER NOT NULL
    , documents INTEGER NOT NULL DEFAULT 0, highlights INTEGER NOT NULL DEFAULT 0) STRICT
    table library_property library_property
    CREATE TABLE library_property (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    table note_conflict note_conflict
    CREATE TABLE note_conflict (
      record_kind INTEGER NOT NULL,
      record_sequence INTEGER NOT NULL,
      record_replica INTEGER NOT NULL,
      PRIMARY KEY (record_kind, record_sequence, record_replica)
    ) STRICT, WITHOUT ROWID
    table operation operation
    CREATE TABLE operation (
      replica INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      time INTEGER NOT NULL,
      act INTEGER NOT NULL,
      record_kind INTEGER NOT NULL,
      record_replica INTEGER NOT NULL,
      record_sequence INTEGER NOT NULL,
      field TEXT NOT NULL,
      value ANY,
      previous ANY, basis BLOB,
      PRIMARY KEY (sequence, replica)
    ) STRICT, WITHOUT ROWID
    index operation_record operation
    CREATE INDEX operation_record ON operation (record_sequence, record_replica, field, time)
      WHERE (replica <> record_replica OR (sequence - record_sequence) >> 3 <> 0)
    table replica replica
    CREATE TABLE replica (
      replica INTEGER PRIMARY KEY,
      sequence INTEGER NOT NULL,
      chain BLOB NOT NULL,
      floor INTEGER NOT NULL DEFAULT 0,
      former INTEGER NOT NULL DEFAULT 0
    ) STRICT
    table saved_query saved_query
    CREATE TABLE saved_query (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
    table snapshot snapshot
    CREATE TABLE snapshot (
      document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
      digest BLOB NOT NULL,
      turn INTEGER NOT NULL,
      seen INTEGER NOT NULL,
      size INTEGER NOT NULL,
      data BLOB NOT NULL, positions BLOB,
      UNIQUE (document, digest)
    ) STRICT
    table source source
    CREATE TABLE source (
      document INTEGER NOT NULL REFERENCES document (key) ON DELETE CASCADE,
      variable TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (document, variable)
    ) WITHOUT ROWID
    table sync_state sync_state
    CREATE TABLE sync_state (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID
    table tag tag
    CREATE TABLE tag (
      highlight INTEGER NOT NULL REFERENCES highlight (key) ON DELETE CASCADE,
      name TEXT NOT NULL,
      PRIMARY KEY (highlight, name)
    ) STRICT, WITHOUT ROWID
    index tag_name tag
    CREATE INDEX tag_name ON tag (name)
    table text_index text_index
    CREATE TABLE text_index (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      document INTEGER NOT NULL UNIQUE REFERENCES document (key) ON DELETE CASCADE,
      digest BLOB NOT NULL,
      version INTEGER NOT NULL
    ) STRICT
    table text_trigrams text_trigrams
    CREATE VIRTUAL TABLE text_trigrams USING fts5 (
      trigrams, content = '', detail = none, columnsize = 0, tokenize = 'ascii')
    table text_trigrams_config text_trigrams_config
    CREATE TABLE 'text_trigrams_config'(k PRIMARY KEY, v) WITHOUT ROWID
    table text_trigrams_data text_trigrams_data
    CREATE TABLE 'text_trigrams_data'(id INTEGER PRIMARY KEY, block BLOB)
    table text_trigrams_idx text_trigrams_idx
    CREATE TABLE 'text_trigrams_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID
    table text_words text_words
    CREATE VIRTUAL TABLE text_words USING fts5 (words, content = '', tokenize = 'ascii')
    table text_words_config text_words_config
    CREATE TABLE 'text_words_config'(k PRIMARY KEY, v) WITHOUT ROWID
    table text_words_data text_words_data
    CREATE TABLE 'text_words_data'(id INTEGER PRIMARY KEY, block BLOB)
    table text_words_docsize text_words_docsize
    CREATE TABLE 'text_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB)
    table text_words_idx text_words_idx
    CREATE TABLE 'text_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID
    table waiting waiting
    CREATE TABLE waiting (
      document_sequence INTEGER NOT NULL,
      document_replica INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      replica INTEGER NOT NULL,
      PRIMARY KEY (document_sequence, document_replica, sequence, replica)
    ) STRICT, WITHOUT ROWID

    """
}
