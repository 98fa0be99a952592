package import Editing
import MarkdownParse
package import Model
package import Rendering

/// The full-screen reader without a terminal: what a person does goes in, what must be done outside
/// comes out, and the screen can be asked for at any time. Used by one thread.
///
/// Times are seconds on any clock that only goes forward.
package struct Reader {
  /// What happens to a reader.
  package enum Event: Sendable {
    /// A key, a paste or the mouse.
    case input(InputEvent)
    /// The deadline went by.
    case tick
  }

  /// What a reader wants done by the program that runs it.
  package enum Effect: Hashable, Sendable {
    /// End with an exit code.
    case quit(Int32)
    /// Give the terminal back to the shell for a while.
    case suspend
    /// Redraw everything.
    case redraw
    /// Take the mouse, or leave it to the terminal.
    case captureMouse(Bool)
    /// Highlight a passage.
    case mark(TextRange, HighlightColor)
    /// Give a highlight another colour.
    case recolor(id: Highlight.ID, HighlightColor)
    /// Take a highlight away.
    case remove(id: Highlight.ID)
    /// Edit the note of a highlight, or of a passage that becomes one.
    case note(Subject)
    /// Put tags on a highlight, or on a passage that becomes one.
    case tag(Subject, [String])
    /// Put a passage on the clipboard.
    case copy(TextRange, Format)
    /// Tell by `show(_:)` what the selection has of all that the palette of formats offers.
    case tellFormat
    /// Go where a link leads.
    case follow(String)
    /// Open a web address with the program for it.
    case open(String)
    /// Go to a document or highlight that an answer names.
    case visit(Destination)
    /// Run a line of the one command grammar.
    case run(String)
    /// Read the file again.
    case reload
    /// Go back to the text that led to this one.
    case leave
    /// Go forward to the text that was left by going back.
    case advance
    /// Say that a highlight stands where it is shown.
    case accept(id: Highlight.ID)
    /// Say that a highlight's passage is gone.
    case detach(id: Highlight.ID)
    /// Bring what is read into the library.
    case add
    /// Do with the match that was asked about what was answered.
    case answer(Answer)
  }

  /// How it is drawn.
  package struct Options: Sendable {
    /// Which colours there are.
    package var color: ColorMode
    /// The colours.
    package var theme: Theme
    /// The most columns of text.
    package var width: Int
    /// Empty columns at both sides.
    package var margin: Int
    /// Whether text can be selected; otherwise there is only the caret.
    package var isSelectable = true
    /// Whether the mouse is taken from the beginning.
    package var hasMouse = true
    /// Whether the first heading is left out when it is the title.
    package var hidesTitle = false
    /// What a press that is held selects, and by what `+` and `-` move the end.
    package var unit = TextUnit.word
    /// The colour that the menu offers first.
    package var highlightColor = HighlightColor.yellow
    /// How selected text is painted.
    package var selectionPaint = SelectionPaint.reverse
    /// What tells the parts of code apart.
    package var lexers: [any CodeLexer] = []
    /// The pictures that the terminal draws; nil for none.
    package var pictures: PictureShow?
    /// Whether text that runs from right to left is put in the order in which it is seen.
    package var ordersText = false
    /// Whether the terminal draws more than one kind of line below letters.
    package var hasUnderlineStyles = false

    /// A hundred columns with a margin of one, unless something else is said.
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

  /// What a line at the bottom is typed for.
  enum Prompt: Hashable {
    case find(from: TextOffset)
    case command
    case follow
    case tag(Subject)
  }

  /// How it is drawn and what can be done; `use` changes it.
  package private(set) var options: Options
  let search: (String, [UInt16]) -> [TextRange]

  /// What is read.
  package internal(set) var text: ReaderText
  /// What is selected, or where the caret is.
  package internal(set) var selection: Selection {
    didSet {
      guard !options.isSelectable, !selection.isCaret else { return }
      selection = Selection(caretAt: selection.range.lowerBound, in: units)
      if message.isEmpty { message = Self.unselectable }
    }
  }
  /// One line for the person.
  package var message = "" { didSet { isNotice = false } }
  /// Whether nobody asked for the message: then what is selected stays in sight beside it.
  private(set) var isNotice = false
  /// Whether back leads to another text from the first place of this one.
  package var canLeave = false
  /// Whether forward leads to another text from the last place of this one. Going elsewhere ends it.
  package var canAdvance = false
  /// When a `tick` is wanted; nil for never.
  package internal(set) var deadline: Double?
  /// Whether the mouse selects; otherwise it is the terminal's.
  package internal(set) var hasMouse: Bool

  var units: TextUnits
  var plan: PageBlocks
  var flow: LazyLayout
  var columns: Int
  var rows: Int
  var top = LazyLayout.Position(chunk: 0, row: 0)
  var mode = Mode.reading
  /// Whether the keys that move the caret extend the selection.
  var isExtending = false
  /// The column that the caret keeps while it goes up and down.
  var wantedColumn: Int?
  var found = FindState()
  /// What the selection has of all that the palette of formats offers; nil while that is not known.
  var paletteState: PaletteState?
  /// The place from which the first match is wanted, until it is found.
  var awaited: TextOffset?
  var past: [TextOffset] = []
  var future: [TextOffset] = []
  var press: Press?
  var typed: LineHistory
  /// What was searched for.
  var searched = LineHistory([])
  /// How often the next key is wanted, as far as it is typed.
  var count: Int?
  /// Whether the last key was an interrupt, so that another one quits.
  var wasInterrupted = false
  /// The commands that were typed since they were last taken, for the sessions to come.
  package private(set) var newLines: [String] = []

  /// Opens a text.
  ///
  /// - Parameters:
  ///   - typed: the commands that were typed before, the oldest first.
  ///   - search: finds a query in a part of the text, in UTF-16; sorted ranges that do not overlap.
  package init(
    _ text: ReaderText, columns: Int, rows: Int, options: Options = Options(),
    typed: [String] = [], search: @escaping (String, [UInt16]) -> [TextRange]
  ) {
    (self.text, self.options, self.search) = (text, options, search)
    self.typed = LineHistory(typed)
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
    hasMouse = options.hasMouse
    units = TextUnits(text.document)
    plan = Self.plan(text, options)
    flow = Self.flow(text, plan, options, columns: columns)
    selection = Selection(caretAt: TextOffset(utf16: 0), in: units)
  }

  private static func plan(_ text: ReaderText, _ options: Options) -> PageBlocks {
    PageBlocks(
      text.document, longest: LazyLayout.longestChunk,
      hiding: options.hidesTitle ? text.title : nil, head: text.head)
  }

  private static func flow(
    _ text: ReaderText, _ plan: PageBlocks, _ options: Options, columns: Int
  ) -> LazyLayout {
    let width = min(options.width, columns - 2 * Self.margin(options, columns: columns))
    var pageOptions = PageOptions(width: width, color: options.color, theme: options.theme)
    (pageOptions.isOnScreen, pageOptions.ordersText) = (true, options.ordersText)
    pageOptions.pictures = options.pictures
    pageOptions.hasUnderlineStyles = options.hasUnderlineStyles
    var page = Page(
      document: text.document, overlays: text.overlays, options: pageOptions,
      lexers: options.lexers)
    page.format = text.format
    return LazyLayout(page, plan)
  }

  /// The empty columns at both sides: on a screen that is narrow the text needs them more.
  private static func margin(_ options: Options, columns: Int) -> Int {
    max(0, min(options.margin, (columns - 20) / 2))
  }

  /// The empty columns at the left.
  var margin: Int { Self.margin(options, columns: columns) }

  static let unselectable = "selecting is off; the setting reader.selectable turns it on"

  /// The rows of text on the screen; the last row is for status and prompts.
  var height: Int { max(1, rows - 1) }

  /// The highlight that is exactly what is selected, the latest of several.
  var selectedHighlight: ReaderHighlight? {
    selection.isCaret ? nil : text.highlights.last { $0.range == selection.range }
  }

  /// The selected highlight, or else the one that the caret stands in, the latest of several.
  var highlightAtHand: ReaderHighlight? {
    if let selectedHighlight { return selectedHighlight }
    guard selection.isCaret else { return nil }
    return text.highlights.last { $0.range?.contains(selection.head) == true }
  }

  /// Takes an event and gives what must be done.
  package mutating func handle(_ event: Event, at time: Double) -> [Effect] {
    switch event {
    case .tick:
      findMore()
      return tick(time)
    case .input(.mouse(let mouse)):
      message = ""
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
      message = ""
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

  /// Takes other options. The line at the top stays; whether the mouse is taken is left as it is.
  package mutating func use(_ options: Options) {
    let place = topOffset
    let isSamePlan = options.hidesTitle == self.options.hidesTitle
    self.options = options
    if !isSamePlan { plan = Self.plan(text, options) }
    flow = Self.flow(text, plan, options, columns: columns)
    if !options.isSelectable { collapse() }
    scroll(to: place)
    press = nil
  }

  /// Takes a new size of the screen. The line at the top stays.
  package mutating func resize(columns: Int, rows: Int) {
    let place = topOffset
    (self.columns, self.rows) = (max(1, columns), max(1, rows))
    flow = Self.flow(text, plan, options, columns: self.columns)
    scroll(to: place)
    press = nil
    if case .list(let list) = mode, list.isHelp { openHelp() }
  }

  /// Takes the text as it is now: after the file was edited, or a highlight came or went. The place
  /// and what is selected stay with their words.
  ///
  /// - Parameter map: where a passage of the old text stands in the new one; nil when it is gone.
  package mutating func replace(_ new: ReaderText, map: (TextRange) -> TextRange?) {
    let before = topOffset
    let isSame = new.document.isSame(as: text.document)
    let isSameFormat = new.format == text.format
    text = new
    if !isSameFormat || !isSame { paletteState = nil }
    if isSame {
      // The words and rows are the same; only what is painted over them is not.
      flow = Self.flow(text, plan, options, columns: columns)
      if !isSameFormat { scroll(to: before) }
      if case .list(let list) = mode, list.isReview { openSideList(at: list.index) }
      return
    }
    let line = units.unit(.line, at: before)
    let old = selection
    units = TextUnits(new.document)
    plan = Self.plan(new, options)
    flow = Self.flow(new, plan, options, columns: columns)
    let kept = Self.kept(line, before, map)
    let caret = TextOffset(utf16: min(old.head.utf16, new.document.text.count))
    selection = old.remapped(in: units, by: map) ?? Selection(caretAt: caret, in: units)
    (past, future) = ([], [])
    press = nil
    // The palette is about whatever is selected.
    if case .list(let list) = mode, list.pane == nil { mode = .reading }
    defer { find(found.query) }
    scroll(to: TextOffset(utf16: min(kept.utf16, new.document.text.count)))
  }

  /// Where the first words on the screen went.
  private static func kept(
    _ line: TextRange?, _ before: TextOffset, _ map: (TextRange) -> TextRange?
  ) -> TextOffset {
    guard let line, let moved = map(line) else { return before }
    let inside = before.utf16 - line.utf16.lowerBound
    return TextOffset(utf16: moved.utf16.lowerBound + min(max(0, inside), moved.count))
  }

  /// Selects a passage and shows it.
  package mutating func select(_ passage: Selection) {
    if passage.range != selection.range { remember() }
    selection = passage
    isExtending = false
    reveal(selection.range.lowerBound)
  }

  /// Goes to a place as a link does: back leads here again.
  package mutating func go(to offset: TextOffset) {
    remember()
    put(caretAt: offset)
    scroll(to: offset)
  }

  /// Makes a caret of what is selected.
  package mutating func collapse() { put(caretAt: selection.range.lowerBound) }

  /// Keeps a command that was typed.
  mutating func remember(line: String) {
    if typed.add(line) { newLines.append(line) }
  }

  /// Forgets the commands that were typed since: they are kept elsewhere.
  package mutating func forgetNewLines() { newLines = [] }

  /// The units of the text, for those who make selections in it.
  package var textUnits: TextUnits { units }

  /// Says what happened while the person did something else.
  package mutating func notify(_ line: String) {
    message = line
    isNotice = true
  }

  /// Shows some lines over the text, until a key is pressed. Enter goes to what a line is about.
  package mutating func show(_ title: String, _ lines: [(text: String, about: Destination?)]) {
    let room = max(16, ReaderList.mostColumns(of: columns) - 3)
    let items = lines.flatMap { line in
      Self.wrapped(line.text, room: room, hanging: 2).map {
        ReaderList.Item(title: $0, action: line.about.map { .visit($0) } ?? .none)
      }
    }
    let leads = lines.contains { $0.about != nil }
    mode = .list(ReaderList(title: title, items: items, footer: leads ? "Enter goes there" : nil))
  }
}
