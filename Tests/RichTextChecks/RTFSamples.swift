/// Handwritten RTF in the style of several programs.
package enum RTFSamples {
  /// A file, the program whose style it has, and its text.
  package struct Sample: Sendable, CustomStringConvertible {
    /// The name of the program.
    package let program: String
    /// The file.
    package let bytes: [UInt8]
    /// The expected text.
    package let text: String
    /// The name of the program.
    package var description: String { program }

    init(_ program: String, _ source: String, _ text: String) {
      self.program = program
      // Each scalar is one byte, so that bytes that aren't ASCII can be written.
      bytes = source.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      self.text = text
    }
  }

  /// One sample for each program.
  package static let all: [Sample] = [textEdit, word, googleDocs, pages, scrivener, libreOffice]

  /// TextEdit: line breaks after backslashes, PostScript font names, `\uc0`, an attachment.
  package static let textEdit = Sample(
    "TextEdit",
    #"""
    {\rtf1\ansi\ansicpg1252\cocoartf2639
    \cocoatextscaling0\cocoaplatform0{\fonttbl\f0\fswiss\fcharset0 Helvetica;\f1\froman\fcharset0 TimesNewRomanPSMT;\f2\fswiss\fcharset0 Helvetica-Bold;
    }
    {\colortbl;\red255\green255\blue255;\red192\green16\blue32;}
    {\*\expandedcolortbl;;\cssrgb\c75000\c6000\c12000;}
    \paperw11900\paperh16840\margl1440\margr1440\vieww11520\viewh8400\viewkind0
    \pard\tx566\tx1133\pardirnatural\qc\partightenfactor0

    \f0\fs24 \cf0 A \
    \pard\pardirnatural\fi360\sl288\slmult1\sa120\partightenfactor0

    \f2\b\fs26 \cf2 bold
    \f0\b0  na\'efve \uc0\u8220 quoted\u8221 \u55349 \u56499 \
    \f1 {\field{\*\fldinst{HYPERLINK "https://example.org/x"}}{\fldrslt link}} {{\NeXTGraphic picture.png \width640 \height480 \noorient
    }¬}}
    """#,
    "A \nbold naïve “quoted”𝒳\nlink \u{FFFC}")

  /// Word: a style sheet, associated properties, `\*` destinations, a list, a table, a footnote.
  package static let word = Sample(
    "Word",
    #"""
    {\rtf1\adeflang1025\ansi\ansicpg1252\uc1\adeff0\deff0\stshfdbch0\themelang1033
    {\fonttbl{\f0\froman\fcharset0\fprq2{\*\panose 02020603050405020304}Times New Roman;}{\f1\fswiss\fcharset0 Calibri{\*\falt Carlito};}{\f2\froman\fcharset204 Times New Roman Cyr;}}
    {\colortbl;\red0\green0\blue0;\red255\green255\blue0;}
    {\*\defchp \f1\fs22 }{\*\defpap \ql \sa160}
    {\stylesheet{\ql \li0\ri0\sa160\sl259\slmult1\widctlpar \rtlch\fcs1 \af0\afs22 \ltrch\fcs0 \f1\fs22\lang1033 \snext0 Normal;}
    {\s1\ql \li0\ri0\sb240\sl259\slmult1\keepn \rtlch\fcs1 \af0 \ltrch\fcs0 \b\f1\fs32 \sbasedon0 \snext0 \spriority9 heading 1;}
    {\*\cs10 \additive \ssemihidden Default Paragraph Font;}{\*\ts11\tsrowd Normal Table;}}
    {\*\listtable{\list\listtemplateid77{\listlevel\levelnfc0\levelnfcn0\levelstartat1{\leveltext\'02\'00.;}{\levelnumbers\'01;}\fi-360\li720 }{\listname ;}\listid5}}
    {\*\listoverridetable{\listoverride\listid5\listoverridecount0\ls3}}
    {\*\rsidtbl \rsid1\rsid2}{\info{\title Not text}{\author Nobody}}{\header Header}
    \pard\plain \s1\ql \sb240\sl259\slmult1 \rtlch\fcs1 \af0 \ltrch\fcs0 \b\f1\fs32 {\rtlch\fcs1 \ab0 \ltrch\fcs0 \insrsid1 Title}{\rtlch\fcs1 \af0 \ltrch\fcs0 \b0\insrsid2  plain}
    \par \pard\plain \ql \sa160\sl259\slmult1 \f1\fs22 {\b\i\strike\cf1\highlight2 All}{\f2  \'cf\'f0\'e8}{\super\chftn}{\footnote \pard\plain \fs20 {\super\chftn} A \i note\i0 .} \u8212\'97 dash
    \par {\listtext\pard\plain 1.\tab}\pard \ql\fi-360\li720\ls3\ilvl0 First{\*\bkmkstart x}{\*\bkmkend x}
    \par \pard \trowd\cellx100\cellx200\pard\intbl one\cell two\par more\cell\row
    \trowd\cellx100\cellx200\pard\intbl three\cell {\*\shppict{\pict\pngblip\picwgoal200\pichgoal100 89504e47}}{\nonshppict{\pict\wmetafile8 0102}}\cell\row
    \pard {\v hidden}{\upr{ansi}{\*\ud{\u220\'dcber}}}\par{\*\themedata 504b}{\*\latentstyles{\lsdlockedexcept Normal;}}}
    """#,
    "Title plain\nAll При\u{FFFC} — dash\nFirst\none\ttwo\u{2028}more\nthree\t\u{FFFC}\nÜber\n")

  /// Google Docs: a link and a Unicode character.
  package static let googleDocs = Sample(
    "Google Docs",
    #"""
    {\rtf1\ansi\deff0{\fonttbl{\f0 \fswiss Arial;}}{\colortbl;\red0\green0\blue0;\red17\green85\blue204;}
    {\*\generator Google Docs}\paperw12240\pard\sl276\slmult1\fi0\li0\ri0\sa0\sb0\ql{\f0\fs22\b0\i0\ulnone\strike0\cf1 Plain \b1 bold\b0  }{\field{\*\fldinst HYPERLINK "https://example.org/?a=1&b=2"}{\fldrslt \f0\fs22\ul\cf2 link}}\uc0\u8217 s\par}
    """#,
    "Plain bold link’s\n")

  /// Pages: a table with `\itap` rows.
  package static let pages = Sample(
    "Pages",
    #"""
    {\rtf1\ansi\ansicpg1252\cocoartf2639{\fonttbl\f0\fnil\fcharset0 HelveticaNeue;}
    {\colortbl;\red255\green255\blue255;}
    \pard\sl240\slmult1\f0\fs22 Before\
    \itap1\trowd \taflags0 \trgaph108\cellx4320\cellx8640
    \pard\intbl\itap1\f0\fs20 Left\cell
    \pard\intbl\itap1 Right\cell \row
    \pard\plain\f0 After}
    """#,
    "Before\nLeft\tRight\nAfter")

  /// Scrivener: style markers, an annotation, a footnote and the link of a comment.
  package static let scrivener = Sample(
    "Scrivener",
    #"""
    {\rtf1\ansi\ansicpg1252\uc1\deff0
    {\fonttbl{\f0\fnil\fcharset0 Palatino;}}
    {\colortbl;\red0\green0\blue0;}
    \pard\plain\fi360\sl264\slmult1\f0\fs26 <$Scr_Ps::3>Title words\par
    <!$Scr_Ps::3>Body <$Scr_Cs::1>raised<!$Scr_Cs::1> text\{\\Scrv_annot \\color=\{\\R=0.9\\G=0.1\\B=0.1\} \\text=check \i this\i0\\end_Scrv_annot\} and\{\\Scrv_fn=A note.\\end_Scrv_fn\} {\field{\*\fldinst{HYPERLINK "scrivcmt://12-34"}}{\fldrslt comment}}.\par}
    """#,
    "Title words\nBody raised text\u{FFFC} and\u{FFFC} comment.\n")

  /// LibreOffice in Japanese: the second byte of a character is also the code of an ASCII
  /// character.
  package static let libreOffice = Sample(
    "LibreOffice",
    #"""
    {\rtf1\ansi\deff3\adeflang1025
    {\fonttbl{\f0\froman\fprq2\fcharset0 Liberation Serif;}{\f3\fnil\fprq0\fcharset128 \'82\'6c\'82\'72 \'96\'be\'92\'a9;}}
    {\colortbl;\red0\green0\blue0;}{\stylesheet{\s0\snext0\f0\fs24 Default Paragraph Style;}}
    {\*\generator LibreOffice/7.4}\pgndec\pard\plain \s0\qj\tqdec\tldot\tx2000\f3 \'93\'fa\'96\'7b\'8c\'ea\'83\'5c\'83A\uc2\u12288\'81\'40 {\loch \f0 a\line b}\par\pard\plain \f0 caf\'e9\par }
    """#,
    "日本語ソア　 a\u{2028}b\ncafé\n")
}
