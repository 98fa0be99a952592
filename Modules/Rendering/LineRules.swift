/// Where lines of Chinese, Japanese and Korean text may end (kinsoku shori; JIS X 4051).
enum LineRules {
  /// No line begins with these: what closes, small kana, signs of length and repetition.
  private static let notFirst = Set(
    """
    、。，．・：；？！゛゜ヽヾゝゞ々〻ー゠–〜～…‥—―’”）〕］｝〉》」』】〙〗〟｠»,.:;?!)]}%‰℃
    ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿ
    ｡｣､･ｧｨｩｪｫｬｭｮｯｰﾞﾟ％¢°′″
    """.filter { !$0.isNewline })
  /// No line ends with these.
  private static let notLast = Set("‘“（〔［｛〈《「『【〘〖〝｟«｢([{＄￥￡$¥£＃№")

  /// Whether a line may end between two neighbours that no blank divides.
  static func mayBreak(between last: Cell, and next: Cell) -> Bool {
    guard last.width == 2 && last.text.standsAlone || next.width == 2 && next.text.standsAlone
    else { return false }
    return !notLast.contains(last.text) && !notFirst.contains(next.text)
  }
}
