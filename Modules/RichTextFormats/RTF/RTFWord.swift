import RichText

/// The control words that the reader supports. The raw value is the word.
enum RTFWord: String, CaseIterable {
  // The header, and other words before the text.
  case ansi, mac, pc, pca, ansicpg, deff, uc, cocoartf, dplrtf
  case fonttbl, colortbl, stylesheet, listtable, listoverridetable, info, generator
  case title, author, subject, keywords
  case f, fcharset, cpg, red, green, blue, s, cs, ds, ts, sbasedon
  case margl, margr, margt, margb
  case list, listlevel, levelnfc, levelnfcn, listid, listtemplateid, listoverride, ls, ilvl
  // Text.
  case par, line, tab, page, sect, column, cell, row, nestcell, nestrow, u, bin
  case lquote, rquote, ldblquote, rdblquote, bullet, emdash, endash, emspace, enspace, qmspace
  case zwj, zwnj, ltrmark, rtlmark, zwbo, zwnbo, softline, lbr
  // Character attributes.
  case plain, b, i, ul, uld, uldash, uldashd, uldashdd, uldb, ulth, ulw, ulwave, ulnone
  case ululdbwave, ulhwave, ulthd, ulthdash, ulthdashd, ulthdashdd, ulldash, ulthldash
  case strike, striked, fs, scaps, caps, `super`, sub, nosupersub, cf, cb, chcbpat, highlight, v
  case deleted, mvf
  // Attributes of scripts such as Arabic, and directions.
  case rtlch, ltrch, ab, ai, afs, rtlpar, ltrpar
  // Paragraph attributes.
  case pard, ql, qc, qr, qj, qd, fi, li, lin, ri, rin, sl, slmult, slleading, slminimum, sb, sa
  case tx, tqc, tqr, tqdec, tldot, tlmdot, tlhyph, tlul, tlth, tleq, intbl
  case pn, pnlvlblt, pnlvlbody, pndec, pnlcltr, pnucltr, pnlcrm, pnucrm
  // Groups with separate content.
  case field, fldinst, fldrslt, footnote, ftnalt, annotation, pict, shppict, nonshppict, upr, ud
  case atrfstart, atrfend, atnref, atnauthor
  case pngblip, jpegblip, emfblip, wmetafile, macpict, dibitmap, picwgoal, pichgoal
  case shp, shpgrp, shpinst, sp, sn, sv, `do`, dptxbxtext
  case formfield, fftype, ffres, ffdefres, ffl
  case header, footer, headerl, headerr, headerf, footerl, footerr, footerf, listtext, pntext
  case nonesttables, nesttableprops, object, result, objdata, xe, tc, template, shprslt, shptxt
  case NeXTGraphic
  // Diple's extensions, which other readers ignore.
  case dplown, dpldefaults, dplid, dplmissing, dplnotabs, dplback, dplskip

  /// Whether the group that starts with the word is skipped, even without `\*`.
  var isSkipped: Bool {
    switch self {
    case .header, .footer, .headerl, .headerr, .headerf, .footerl, .footerr, .footerf,
      .listtext, .pntext, .nonesttables, .nonshppict, .objdata, .xe, .tc, .template, .generator,
      .dplskip:
      true
    default: false
    }
  }

  /// Whether the group that starts with the word has a note, picture or shape.
  var isContent: Bool {
    switch self {
    case .footnote, .annotation, .pict, .shp, .shpgrp, .do, .object, .NeXTGraphic: true
    default: false
    }
  }

  /// The UTF-16 unit that the word represents; nil for other words.
  var character: UInt16? {
    switch self {
    case .lquote: 0x2018
    case .rquote: 0x2019
    case .ldblquote: 0x201C
    case .rdblquote: 0x201D
    case .bullet: 0x2022
    case .emdash: 0x2014
    case .endash: 0x2013
    case .emspace: 0x2003
    case .enspace: 0x2002
    case .qmspace: 0x2005
    case .zwj, .zwbo: self == .zwj ? 0x200D : 0x200B
    case .zwnj: 0x200C
    case .zwnbo: 0x2060
    case .ltrmark: 0x200E
    case .rtlmark: 0x200F
    case .tab: 0x09
    case .line, .softline, .lbr: 0x2028
    default: nil
    }
  }

  /// The underline style that the word turns on; nil for other words.
  var underline: UnderlineStyle? {
    switch self {
    case .ul: .single
    case .uldb, .ululdbwave: self == .uldb ? .double : .wave
    case .ulw: .words
    case .uld, .ulthd: .dotted
    case .uldash, .ulthdash, .ulldash, .ulthldash: .dashed
    case .uldashd, .ulthdashd: .dashDot
    case .uldashdd, .ulthdashdd: .dashDotDot
    case .ulth: .thick
    case .ulwave, .ulhwave: .wave
    default: nil
    }
  }
}

/// The letters of a control word packed into 128 bits, six bits for each of at most twenty letters.
struct RTFWordKey: Hashable {
  var low: UInt64 = 0
  var high: UInt64 = 0
  var count = 0

  /// Adds a letter. A key with more than twenty letters matches no word.
  @inline(__always)
  mutating func add(_ letter: UInt8) {
    // The codes are 1 to 26 for capitals and 33 to 58 for lower case.
    let code = UInt64(letter & 0x3F)
    if count < 10 { low = low << 6 | code } else { high = high << 6 | code }
    count += 1
  }

  var slot: Int { Int(truncatingIfNeeded: ((low ^ high &* 31) &* 0x9E37_79B9_7F4A_7C15) >> 54) }
}

/// A hash table of the control words.
struct RTFWordTable {
  private var slots = [(key: RTFWordKey, word: RTFWord)?](repeating: nil, count: 1_024)

  static let shared = RTFWordTable()

  private init() {
    for word in RTFWord.allCases {
      var key = RTFWordKey()
      for letter in word.rawValue.utf8 { key.add(letter) }
      var slot = key.slot
      while slots[slot] != nil { slot = (slot + 1) & 1_023 }
      slots[slot] = (key, word)
    }
  }

  /// Returns the word with a key; nil if it is unknown. O(1).
  @inline(__always)
  subscript(key: RTFWordKey) -> RTFWord? {
    if key.count > 20 { return nil }
    var slot = key.slot
    while let found = slots[slot] {
      if found.key == key { return found.word }
      slot = (slot + 1) & 1_023
    }
    return nil
  }
}
