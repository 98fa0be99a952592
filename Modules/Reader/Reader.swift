package import Editing
import MarkdownParse
package import Model
package import Rendering

/// The state of the full-screen reader, independent of a terminal. It receives events and returns
/// the actions to perform; the screen can be drawn at any time. Not thread-safe.
///
/// ```swift
/// var reader = Reader(text, columns: 80, rows: 24, search: search)
/// for effect in reader.handle(.input(event), at: now) { perform(effect) }
/// draw(reader.screen())
/// ```
///
/// Times are seconds of any monotonic clock.
package struct Reader {
  /// An event for the reader.
  package enum Event: Sendable {
    /// A key, pasted text or a mouse action.
    case input(InputEvent)
    /// The deadline has passed.
    case tick
  }

  /// An action for the program that runs the reader.
  package enum Effect: Hashable, Sendable {
    /// Exit the program with an exit code.
    case quit(Int32)
    /// Suspend the program, as Ctrl-Z does.
    case suspend
    /// Redraw every cell, because another program may have written on the screen.
    case redraw
    /// Capture the mouse, or release it to the terminal.
    case captureMouse(Bool)
    /// Highlight a passage.
    case mark(TextRange, HighlightColor)
    /// Change the colour of a highlight.
    case recolor(id: Highlight.ID, HighlightColor)
    /// Delete a highlight.
    case remove(id: Highlight.ID)
    /// Edit the note of a highlight, or of a passage that becomes one, in the user's editor. The
    /// draft replaces the present note in the editor, and `seen` is the note that the user saw before
    /// writing it.
    case note(Subject, draft: String? = nil, seen: String? = nil)
    /// Store the note of a highlight, or of a passage that becomes one.
    case setNote(Subject, String, seen: String)
    /// Add tags to a highlight, or to a passage that becomes one.
    case tag(Subject, [String])
    /// Copy a passage to the clipboard.
    case copy(TextRange, Format)
    /// Read the format of the selection and pass it to ``show(_:)``.
    case readFormat
    /// Follow a link.
    case follow(String)
    /// Read the links of the text and the links to it, and pass them to ``show(_:)``.
    case readLinks
    /// Open a web address in the system's browser.
    case open(String)
    /// Open a document or highlight that a command's output names.
    case visit(Destination)
    /// Find the words that complete a line, and pass them to ``complete(_:keeping:with:)``. The
    /// text is that before the cursor.
    case complete(CompletedLine, String)
    /// List all commands with ``showHelp(_:title:)``.
    case listCommands
    /// Run a command line.
    case run(String)
    /// Read the file again.
    case reload
    /// Return to the previous text.
    case leave
    /// Go forward to the text from which the user went back.
    case advance
    /// Accept the range of a doubtful highlight, or the shown place of an orphaned one.
    case accept(id: Highlight.ID)
    /// Go to the likeliest place of an orphaned highlight.
    case findPlace(id: Highlight.ID)
    /// Mark a highlight as orphaned, because its passage was deleted.
    case detach(id: Highlight.ID)
    /// Add the text to the library.
    case add
    /// Let the user choose another document to read from a list, which begins with a query.
    case pick(String)
    /// Process the answer to the question that ``ask(_:about:)`` showed.
    case answer(Answer)
  }

  /// The display options.
  package struct Options: Sendable {
    /// The number of colours that the terminal supports.
    package var color: ColorMode
    /// The colours for text, highlights and code.
    package var theme: Theme
    /// The maximum width of the text in columns.
    package var width: Int
    /// The maximum width of the text in columns, if it isn't narrower. Wider screens have empty
    /// columns on both sides.
    package var measure = 80
    /// The minimum number of empty columns on each side.
    package var margin: Int
    /// Whether the status line names useful keys.
    package var hasFooter = true
    /// Whether text can be selected; if false, there is only a caret.
    package var isSelectable = true
    /// Whether the mouse is captured initially.
    package var hasMouse = true
    /// Whether to hide the first heading if it equals the title.
    package var hidesTitle = false
    /// The unit that a long press selects. The keys `+` and `-` move the end of the selection by
    /// this unit.
    package var unit = TextUnit.word
    /// The colour that the menu preselects.
    package var highlightColor = HighlightColor.yellow
    /// The style of selected text.
    package var selectionPaint = SelectionPaint.reverse
    /// The syntax highlighters for code.
    package var lexers: [any CodeLexer] = []
    /// The images to draw in the terminal, or nil to draw none.
    package var pictures: PictureShow?
    /// Whether to convert right-to-left text to visual order.
    package var ordersText = false
    /// Whether the terminal supports several underline styles.
    package var hasUnderlineStyles = false

    /// Creates options with the given colours and width; the others have their defaults.
    package init(
      color: ColorMode = .none, theme: Theme = .light, width: Int = 100, margin: Int = 1
    ) {
      (self.color, self.theme, self.width, self.margin) = (color, theme, width, margin)
    }
  }

  enum Mode {
    case reading
    case prompt(Prompt, LineField)
    case list(ReaderList)
    case question(String)
  }

  /// The purpose of the line typed at the bottom.
  enum Prompt: Hashable {
    case find(from: TextOffset)
    case command
    case follow
    case tag(Subject)
    /// A note. `old` is the present one.
    case note(Subject, old: String)
  }

  /// The display options. `use(_:)` changes them.
  package private(set) var options: Options
  let search: (String, [UInt16]) -> [TextRange]

  /// The text with its highlights.
  package internal(set) var text: ReaderText
  /// The selection or the caret.
  package internal(set) var selection: Selection {
    didSet {
      if focused != nil, selection != oldValue, !isInFocused { focused = nil }
      guard !options.isSelectable, !selection.isCaret else { return }
      selection = Selection(caretAt: selection.range.lowerBound, in: units)
      if answer.isEmpty { answer = Self.unselectable }
    }
  }
  /// The message in the status line: the answer to the last key or, without one, the oldest unread
  /// notice. Setting it replaces the answer.
  package var message: String {
    get { answer.isEmpty ? notices.first ?? "" : answer }
    set { answer = newValue }
  }
  /// The answer to the last key; may have several lines.
  var answer = ""
  /// The unread notices, oldest first. One is shown at a time, with the selection next to it.
  private(set) var notices: [String] = []
  /// Whether going back at the start of the history leads to another text.
  package var canLeave = false
  /// Whether going forward at the end of the history leads to another text. Adding a position to
  /// the history resets it.
  package var canAdvance = false
  /// Whether the Markdown source is shown instead of the text. Positions are those of the text.
  package private(set) var showsSource = false
  /// The time at which to send a `tick`, or nil.
  package internal(set) var deadline: Double?
  /// Whether the mouse is captured.
  package internal(set) var hasMouse: Bool

  var units: TextUnits
  var plan: PageBlocks
  var flow: LazyLayout
  var columns: Int
  var rows: Int
  var top = LazyLayout.Position(chunk: 0, row: 0)
  var mode = Mode.reading
  /// Whether the movement keys extend the selection.
  var isExtending = false
  /// The column that the caret keeps while moving by rows.
  var wantedColumn: Int?
  var found = FindState()
  /// The highlight that was made or chosen last, while the caret or the selection is in it; nil if
  /// there is none. It tells apart the highlights of the same words.
  var focused: Highlight.ID?
  /// The format of the selection for the palette, or nil while it is unknown.
  var paletteState: PaletteState?
  /// The offset from which ``findFirst(_:from:)`` searches; nil after its first match was shown.
  var findStart: TextOffset?
  var past: [TextOffset] = []
  var future: [TextOffset] = []
  var press: Press?
  var commandHistory: LineHistory
  /// The history of searches.
  var searchHistory = LineHistory([])
  /// The widths of the settings while the user has chosen another one with a key, or nil.
  private var usualWidths: (width: Int, measure: Int)?
  /// The last note that could not be stored, or nil.
  var unsavedNote: (subject: Subject, text: String)?
  /// The words to choose from in the typed line, or nil.
  var completing: Completing?
  /// The highlight that was last chosen in the list of highlights to review, or nil.
  var reviewed: Highlight.ID?
  /// Whether the list of highlights to review is open, in which they can be accepted and rejected.
  package var isReviewing: Bool { if case .list(let list) = mode { list.isReview } else { false } }
  /// The repeat count typed so far, or nil.
  var count: Int?
  /// Whether the last key was an interrupt, so that a second one quits.
  var wasInterrupted = false
  /// The commands typed since the last `forgetNewLines()`, to be saved in the history.
  package private(set) var newLines: [String] = []

  /// Creates a reader for a text.
  ///
  /// - Parameters:
  ///   - typed: the command history, oldest first.
  ///   - search: returns the matches of a query in a part of the text, in UTF-16 units, sorted and
  ///     without overlaps.
  package init(
    _ text: ReaderText, columns: Int, rows: Int, options: Options = Options(),
    typed: [String] = [], search: @escaping (String, [UInt16]) -> [TextRange]
  ) {
    (self.text, self.options, self.search) = (text, options, search)
    commandHistory = LineHistory(typed)
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
    hasMouse = options.hasMouse
    units = TextUnits(text.document)
    plan = Self.plan(text, options)
    flow = Self.flow(text, plan, options, columns: columns)
    selection = Selection(caretAt: TextOffset(utf16: 0), in: units)
  }

  private static func plan(_ text: ReaderText, _ options: Options, showsSource: Bool = false)
    -> PageBlocks
  {
    PageBlocks(
      text.document, longest: LazyLayout.longestChunk,
      hiding: options.hidesTitle ? text.title : nil, head: text.head, showsSource: showsSource)
  }

  private static func flow(
    _ text: ReaderText, _ plan: PageBlocks, _ options: Options, columns: Int
  ) -> LazyLayout {
    let width = textWidth(options, columns: columns)
    var pageOptions = PageOptions(width: width, color: options.color, theme: options.theme)
    (pageOptions.isOnScreen, pageOptions.ordersText) = (true, options.ordersText)
    (pageOptions.pictures, pageOptions.embeds) = (options.pictures, text.embeds)
    pageOptions.source = plan.showsSource ? SourceDrawing(hasNumbers: true) : nil
    pageOptions.hasUnderlineStyles = options.hasUnderlineStyles
    var page = Page(
      document: text.document, overlays: text.overlays, options: pageOptions,
      lexers: options.lexers)
    page.format = text.format
    return LazyLayout(page, plan)
  }

  /// Returns the minimum number of empty columns on each side; fewer on a narrow screen.
  private static func margin(_ options: Options, columns: Int) -> Int {
    max(0, min(options.margin, (columns - 20) / 2))
  }

  private static func textWidth(_ options: Options, columns: Int) -> Int {
    min(options.width, options.measure, columns - 2 * margin(options, columns: columns))
  }

  /// The empty columns on the left. The text is centred.
  var margin: Int { (columns - Self.textWidth(options, columns: columns)) / 2 }

  /// The empty columns on the left of the drawn text. Beside a list, the text moves to the left, so
  /// that less of it is covered.
  var shownMargin: Int {
    guard case .list(let list) = mode, !list.isHelp else { return margin }
    let free = panelStart(list) - Self.textWidth(options, columns: columns) - 1
    return max(min(margin, Self.margin(options, columns: columns)), min(margin, free))
  }

  /// Makes the text wider by a number of steps of four columns, or narrower.
  mutating func changeMeasure(by steps: Int) {
    var new = options
    let most = columns - 2 * Self.margin(options, columns: columns)
    let width = Self.textWidth(options, columns: columns) + 4 * steps
    new.measure = max(20, min(most, width))
    new.width = max(new.width, new.measure)
    usualWidths = usualWidths ?? (options.width, options.measure)
    use(new, keepingWidths: false)
    message = "\(Self.textWidth(options, columns: columns)) columns; = for the default"
  }

  /// Restores the width of the text that the settings have.
  mutating func resetMeasure() {
    guard let usual = usualWidths else { return }
    usualWidths = nil
    var new = options
    (new.width, new.measure) = usual
    use(new, keepingWidths: false)
  }

  static let unselectable = "selecting is off; the setting reader.selectable turns it on"

  /// The rows of text on the screen. The last row of the screen is for the status and prompts.
  var height: Int { max(1, rows - 1) }

  /// The highlight whose range equals the selection, or nil. Of several, it is the focused one or
  /// else the last one.
  var selectedHighlight: ReaderHighlight? {
    if selection.isCaret { return nil }
    if let focusedHighlight, focusedHighlight.range == selection.range { return focusedHighlight }
    return text.highlights.last { $0.range == selection.range }
  }

  /// The selected highlight or, without one, the focused or the last highlight that contains the
  /// caret; nil if none exists.
  var currentHighlight: ReaderHighlight? {
    if let selectedHighlight { return selectedHighlight }
    guard selection.isCaret else { return nil }
    if isInFocused, let focusedHighlight { return focusedHighlight }
    return text.highlights.last { $0.range?.contains(selection.head) == true }
  }

  private var focusedHighlight: ReaderHighlight? {
    focused.flatMap { id in text.highlights.first { $0.id == id } }
  }

  /// Whether the selection is the focused highlight, or the caret is in it.
  private var isInFocused: Bool {
    guard let range = focusedHighlight?.range else { return false }
    return selection.isCaret ? range.contains(selection.head) : range == selection.range
  }

  /// Makes a highlight the current one if the selection is its range, or the caret is in it. Other
  /// highlights may have the same words.
  package mutating func focus(on id: Highlight.ID) {
    focused = id
    if !isInFocused { focused = nil }
  }

  /// Selects a highlight. Returns false if it has no place in the text.
  ///
  /// - Parameter lands: whether to scroll it to the upper third of the screen; otherwise the text is
  ///   only scrolled if the highlight isn't on the screen.
  @discardableResult
  package mutating func select(highlight id: Highlight.ID, lands: Bool = true) -> Bool {
    guard let range = text.highlights.first(where: { $0.id == id })?.range else { return false }
    choose(Selection(range, in: units))
    focus(on: id)
    if lands { land(on: range.lowerBound) } else { reveal(range.lowerBound) }
    return true
  }

  /// Handles an event and returns the actions to perform, in order.
  package mutating func handle(_ event: Event, at time: Double) -> [Effect] {
    switch event {
    case .tick:
      findMore()
      return tick(time)
    case .input(.mouse(let mouse)):
      answer = ""
      if case .question = mode { return [] }
      return take(mouse, at: time)
    case .input(.background), .input(.answered): return []
    case .input(.paste(let text)):
      if case .prompt(let prompt, var field) = mode {
        field.insert(text)
        mode = .prompt(prompt, field)
        promptChanged()
      }
      return []
    case .input(.key(let key, let modifiers)):
      markAsRead()
      press = nil
      deadline = nil
      defer { wasInterrupted = wasInterrupted && isInterrupt(key, modifiers) }
      switch mode {
      case .reading: return read(key, modifiers)
      case .prompt(let prompt, let field): return type(key, modifiers, prompt, field)
      case .list(let list): return choose(key, modifiers, list)
      case .question: return answer(key, modifiers)
      }
    }
  }

  /// Sets the display options. The top line stays the same, and the mouse stays captured or
  /// released.
  package mutating func use(_ options: Options) { use(options, keepingWidths: true) }

  /// - Parameter keepsWidths: whether a width that the user chose with a key is kept.
  private mutating func use(_ new: Options, keepingWidths keepsWidths: Bool) {
    var options = new
    if keepsWidths, usualWidths != nil {
      let isChanged = new.width != self.options.width || new.measure != self.options.measure
      if isChanged { usualWidths = (new.width, new.measure) }
      (options.width, options.measure) = (self.options.width, self.options.measure)
    }
    let (place, blanks) = (topOffset, rowsAboveText)
    let isSamePlan = options.hidesTitle == self.options.hidesTitle
    self.options = options
    if !isSamePlan { plan = Self.plan(text, options, showsSource: showsSource) }
    flow = Self.flow(text, plan, options, columns: columns)
    if !options.isSelectable { collapse() }
    scroll(to: place, below: blanks)
    press = nil
  }

  /// Shows the Markdown source instead of the text, or the text again. The first words on the screen
  /// stay there. O(bytes).
  mutating func toggleSource() {
    let start = LazyLayout.Position(chunk: 0, row: 0)
    let (place, isAtStart) = (topOffset, top == start)
    showsSource.toggle()
    plan = Self.plan(text, options, showsSource: showsSource)
    flow = Self.flow(text, plan, options, columns: columns)
    // Above the first words, there may be front matter.
    if isAtStart { top = start } else { scroll(to: place) }
    wantedColumn = nil
    press = nil
    message = showsSource ? "the Markdown source; M shows the text" : ""
  }

  /// Sets the size of the screen in cells. The top line stays the same.
  package mutating func resize(columns: Int, rows: Int) {
    let (place, blanks) = (topOffset, rowsAboveText)
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
    flow = Self.flow(text, plan, options, columns: self.columns)
    scroll(to: place, below: blanks)
    press = nil
    if case .list(let list) = mode, list.isHelp {
      if let help = list.help { showHelp(help.lines, title: help.title) } else { openHelp() }
    }
  }

  /// Replaces the text after an edit of the file or a change of a highlight. The position and the
  /// selection move with their words. An edit clears the history.
  ///
  /// - Parameter map: returns the new range of a passage of the old text, or nil if it was deleted.
  package mutating func replace(_ new: ReaderText, map: (TextRange) -> TextRange?) {
    let before = topOffset
    let isSame = new.document.isSame(as: text.document)
    let isSameFormat = new.format == text.format
    text = new
    if !isSameFormat || !isSame { paletteState = nil }
    if isSame {
      // The text and its rows are the same; only the decorations may have changed.
      flow = Self.flow(text, plan, options, columns: columns)
      if !isSameFormat { scroll(to: before) }
      if case .list(let list) = mode, list.isReview { openSideList(at: list.index) }
      return
    }
    let line = units.unit(.line, at: before)
    let old = selection
    units = TextUnits(new.document)
    plan = Self.plan(new, options, showsSource: showsSource)
    flow = Self.flow(new, plan, options, columns: columns)
    let kept = Self.kept(line, before, map)
    let caret = TextOffset(utf16: min(old.head.utf16, new.document.text.count))
    selection = old.remapped(in: units, by: map) ?? Selection(caretAt: caret, in: units)
    (past, future) = ([], [])
    press = nil
    // The palette applies to any selection, so it stays open.
    if case .list(let list) = mode, list.pane == nil { mode = .reading }
    defer { findAgain() }
    scroll(to: TextOffset(utf16: min(kept.utf16, new.document.text.count)))
  }

  /// Returns the new offset of the first words on the screen.
  private static func kept(
    _ line: TextRange?, _ before: TextOffset, _ map: (TextRange) -> TextRange?
  ) -> TextOffset {
    guard let line, let moved = map(line) else { return before }
    let inside = before.utf16 - line.utf16.lowerBound
    return TextOffset(utf16: moved.utf16.lowerBound + min(max(0, inside), moved.count))
  }

  /// Selects a passage and scrolls it to the upper third of the screen.
  package mutating func select(_ passage: Selection) {
    choose(passage)
    land(on: selection.range.lowerBound)
  }

  /// Selects a passage without scrolling.
  mutating func choose(_ passage: Selection) {
    if passage.range != selection.range { remember() }
    selection = passage
    isExtending = false
  }

  /// Moves to an offset as a link does, and adds the old position to the history.
  package mutating func go(to offset: TextOffset) {
    remember()
    put(caretAt: offset)
    scroll(to: offset)
  }

  /// Collapses the selection to a caret at its start.
  package mutating func collapse() { put(caretAt: selection.range.lowerBound) }

  /// Adds a command to the history.
  mutating func remember(line: String) {
    if commandHistory.add(line) { newLines.append(line) }
  }

  /// Discards the new commands after they were saved.
  package mutating func forgetNewLines() { newLines = [] }

  /// The units of the text, for creating selections.
  package var textUnits: TextUnits { units }

  /// Adds a line to the message in the status line.
  package mutating func say(_ line: String) {
    if answer.isEmpty { answer = line } else if answer != line { answer += "\n" + line }
  }

  /// The maximum number of unread notices; the oldest ones are dropped.
  private static let noticeLimit = 20

  /// Shows a notice in the status line, after the answer to the last key and earlier notices.
  package mutating func notify(_ line: String) {
    if notices.last == line { return }
    notices.append(line)
    if notices.count > Self.noticeLimit { notices.removeFirst() }
  }

  /// Removes the shown message. A key has been pressed, so the user has read it.
  private mutating func markAsRead() {
    if !answer.isEmpty { answer = "" } else if !notices.isEmpty { notices.removeFirst() }
  }

  /// Shows lines in a list until the user closes it. Enter opens the target of the chosen line.
  package mutating func show(_ title: String, _ lines: [(text: String, about: Destination?)]) {
    let available = max(16, ReaderList.mostColumns(of: columns) - 3)
    let items = lines.flatMap { line in
      Self.wrapped(line.text, columns: available, hanging: 2).enumerated().map { index, part in
        var item = ReaderList.Item(title: part, action: line.about.map { .visit($0) } ?? .none)
        item.isContinuation = index > 0
        return item
      }
    }
    let leads = lines.contains { $0.about != nil }
    mode = .list(
      ReaderList(
        title: title, items: items, footer: leads ? "Enter opens it · Esc closes" : "Esc closes"))
  }
}
