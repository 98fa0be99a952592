import RichText

/// The attributes of the next character. A value that no control word has set is nil.
struct RTFCharacterState: Hashable {
  var bold: Bool?
  var italic: Bool?
  var underline: UnderlineStyle?
  var strikethrough: StrikethroughStyle?
  var capitals: Capitals?
  var position: BaselinePosition?
  var isHidden = false
  /// Whether the text is a tracked deletion, which isn't part of the document.
  var isDeleted = false
  /// The font's number in the font table.
  var font: Int32?
  /// The font size in half points.
  var size: Int32?
  /// The numbers of the colours in the colour table.
  var color: Int32?
  var background: Int32?
  /// The number of the colour in which the text is marked, apart from its background.
  var mark: Int32?
  /// The index of the link in `RTFTables.links`.
  var link: Int32?
  /// Whether the text runs from right to left. Then it has the attributes of complex scripts.
  var isRightToLeft = false
  var complexBold: Bool?
  var complexItalic: Bool?
  var complexSize: Int32?
}

/// The attributes of the current paragraph, which apply when it ends. Lengths are in twips;
/// `lineHeight` is in 240ths of a line if `isMultiple` is true.
struct RTFParagraphState: Hashable {
  var alignment: TextAlignment?
  var firstLineIndent: Int32?
  var headIndent: Int32?
  var tailIndent: Int32?
  var lineHeight: Int32?
  var isMultiple = false
  var minimum: Int32?
  var lineSpacing: Int32?
  var spaceBefore: Int32?
  var spaceAfter: Int32?
  var tabStops: [TabStop]?
  var nextStop = TabStop(position: Twips(0))
  /// The list's number in the list override table, and the level from 0.
  var list: Int32?
  var level: Int32 = 0
  /// The marker of a list item without a list table, from the older `\pn` words.
  var oldMarker: ListItem.Marker?
  /// The style's number in the style sheet.
  var style: Int32?
  var isInTable = false
  /// Whether the paragraph runs from right to left, so that it begins at the right.
  var isRightToLeft = false
}

/// The destination of a group's content.
enum RTFDestination {
  case text, skipped, fontTable, colorTable, styleSheet, styleID, listTable, listOverrideTable
  case instruction, picture, attachment, defaults, oldNumbering, reference
  case shape, shapeProperty, shapeValue, formField, formItem, info, property
}

/// The state that a group may change. It is restored at the group's end.
struct RTFGroup {
  var character = RTFCharacterState()
  var paragraph = RTFParagraphState()
  var destination = RTFDestination.text
  /// The destination of the `\ud` alternative in an `\upr` group.
  var beforeChoice: RTFDestination?
  /// The number of fallback characters after each `\u`.
  var fallbackLength: Int32 = 1
  /// The content that is complete at the end of the group.
  var end = End.none

  enum End {
    case none, field, note, picture, attachment, oldNumbering, defaults, style, box, shape
    case commentStart, commentEnd, commentNumber, commentAuthor
  }
}

/// A text that is being read: the document's or a note's.
struct RTFOutput {
  var units: [UInt16] = []
  var layer = FormatLayer()
  var notes: [RichDocument.Note] = []
  var images: [RichDocument.Image] = []
  var rows: [Range<Int>] = []
  /// The marked parts of the text with their colours, in order.
  var marked: [(range: Range<Int>, color: UInt32)] = []
  /// Whether the text is that of a text box.
  var isBox = false
  /// The texts of the boxes that follow the open paragraph.
  var boxes: [RTFOutput] = []
  /// Whether the end of the open paragraph is a tracked deletion.
  var isEndDeleted = false
  /// The kind of note that the text becomes, and the offset of its mark in the surrounding text.
  var kind: RichDocument.Note.Kind?
  var mark = 0
  /// The number by which the file refers to the passage of the comment; nil if it has none.
  var number: Int?
  /// The start of the open run, and the character state since then.
  var runStart = 0
  var runState = RTFCharacterState()
  var paragraphStart = 0
  /// The paragraph state of the group that last added text, and the length of the text after that.
  var lastParagraph = RTFParagraphState()
  var lastCount = 0
}
