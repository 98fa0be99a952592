import RichText

/// What holds for the next character: a value that no control word set is nil.
struct RTFCharacterState: Hashable {
  var bold: Bool?
  var italic: Bool?
  var underline: UnderlineStyle?
  var strikethrough: StrikethroughStyle?
  var capitals: Capitals?
  var position: BaselinePosition?
  var isHidden = false
  /// A number of the table of fonts.
  var font: Int32?
  /// In half points.
  var size: Int32?
  /// Numbers of the table of colours.
  var color: Int32?
  var background: Int32?
  /// A number of the links that were met.
  var link: Int32?
}

/// What holds for the paragraph whose end comes next.
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
  /// A number of the table of lists, and how deep.
  var list: Int32?
  var level: Int32 = 0
  /// What stands before an item of a list that is in no table.
  var oldMarker: ListItem.Marker?
  /// A number of the table of styles.
  var style: Int32?
  var isInTable = false
}

/// Where what stands in a group goes.
enum RTFDestination {
  case text, skipped, fontTable, colorTable, styleSheet, styleID, listTable, listOverrideTable
  case instruction, picture, attachment, defaults, oldNumbering
}

/// What a group changes, and what is restored at its end.
struct RTFGroup {
  var character = RTFCharacterState()
  var paragraph = RTFParagraphState()
  var destination = RTFDestination.text
  /// What `\ud` inside of `\upr` goes to.
  var beforeChoice: RTFDestination?
  /// How many characters stand in for one that `\u` names.
  var fallbackLength: Int32 = 1
  /// What is complete at the end of the group.
  var end = End.none

  enum End { case none, field, note, picture, attachment, oldNumbering, defaults, style }
}

/// A text that is being read: the document's, or that of a note.
struct RTFOutput {
  var units: [UInt16] = []
  var layer = FormatLayer()
  var notes: [RichDocument.Note] = []
  var images: [RichDocument.Image] = []
  var rows: [Range<Int>] = []
  /// What the text becomes, and where its mark stands in the text around it.
  var kind: RichDocument.Note.Kind?
  var mark = 0
  /// The state of the characters since an offset.
  var runStart = 0
  var runState = RTFCharacterState()
  var paragraphStart = 0
  /// The state of the paragraph in the group that added the last units, which ended after so many.
  var lastParagraph = RTFParagraphState()
  var lastCount = 0
}
