import Model

/// A colour and its label in the library.
struct ColorAnswer: Encodable {
  var name: HighlightColor
  var label: String?
  var letter: String

  static func all(_ labels: [HighlightColor: String]) -> [ColorAnswer] {
    HighlightColor.allCases.map {
      ColorAnswer(name: $0, label: labels[$0], letter: String($0.letter))
    }
  }
}
