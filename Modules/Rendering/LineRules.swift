/// The line-breaking rules for Chinese, Japanese and Korean text (kinsoku shori; JIS X 4051).
enum LineRules {
  /// Characters that must not begin a line: closing punctuation, small kana, length and repetition
  /// marks.
  private static let notFirst = Set(
    """
    、。，．・：；？！゛゜ヽヾゝゞ々〻ー゠–〜～…‥—―’”）〕］｝〉》」』】〙〗〟｠»,.:;?!)]}%‰℃
    ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ
    ｡｣､･ｧｨｩｪｫｬｭｮｯｰﾞﾟ％¢°′″
    """.filter { !$0.isNewline })
  /// Characters that must not end a line.
  private static let notLast = Set("‘“（〔［｛〈《「『【〘〖〝｟«｢([{＄￥￡$¥£＃№")

  /// Whether a line may break between two adjacent cells without a space between them.
  static func mayBreak(between last: Cell, and next: Cell) -> Bool {
    guard last.width == 2 && last.text.standsAlone || next.width == 2 && next.text.standsAlone
    else { return false }
    return !notLast.contains(last.text) && !notFirst.contains(next.text)
  }
}
