import Glibc

/// A 24-bit colour.
package struct RGB: Hashable, Sendable {
  /// The channels, each from 0 to 255.
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// Creates a colour from the lower 24 bits of a number: `0xRRGGBB`.
  package init(_ number: Int) {
    self.init(UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
  }

  static let black = RGB(0)
  static let white = RGB(0xFFFFFF)

  /// The number of mixtures that `strengthened` tries between two colours.
  private static let steps = 64

  /// The contrast that text needs to be easily readable (WCAG 2.2, AA).
  static let readable = 4.5

  /// The channels in the notation of escape sequences.
  var channels: String { "\(red);\(green);\(blue)" }

  /// The relative luminance according to WCAG 2.2, from 0 to 1.
  package var luminance: Double {
    func linear(_ channel: UInt8) -> Double {
      let part = Double(channel) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Returns the contrast with another colour, from 1 to 21.
  package func contrast(with other: RGB) -> Double {
    let (a, b) = (luminance, other.luminance)
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  /// Returns black or white, whichever has more contrast with a background.
  static func strongest(on background: RGB) -> RGB {
    let withBlack = background.contrast(with: .black)
    return withBlack >= background.contrast(with: .white) ? .black : .white
  }

  /// Returns a mixture with another colour: 0 is this colour and 1 the other.
  private func mixed(with other: RGB, _ share: Double) -> RGB {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8(clamping: Int((Double(a) + (Double(b) - Double(a)) * share).rounded()))
    }
    return RGB(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
  }

  /// Returns a colour that is readable on a background: this colour, mixed with a text colour only
  /// as far as necessary.
  func strengthened(toward text: RGB, on background: RGB, to contrast: Double = readable) -> RGB {
    for step in 0..<Self.steps {
      let color = mixed(with: text, Double(step) / Double(Self.steps))
      if color.contrast(with: background) >= contrast { return color }
    }
    return text
  }

  // MARK: - Terminal colours

  /// The 256 colours of xterm. The first sixteen are its defaults.
  static let xterm: [RGB] = {
    let basic = [
      0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5, 0x7F7F7F,
      0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
    let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
    var colors = basic.map { RGB($0) }
    for red in steps {
      for green in steps { for blue in steps { colors.append(RGB(red, green, blue)) } }
    }
    for grey in 0..<24 { colors.append(RGB(0x010101 * (8 + 10 * grey))) }
    return colors
  }()

  /// The indices of the greys among the first sixteen colours.
  static let greys: Set<Int> = [0, 7, 8, 15]
  /// The minimum difference between the channels of a colour that isn't grey.
  private static let leastChroma: UInt8 = 40

  private static let xtermLuminances = xterm.map(\.luminance)

  /// Returns the index of the nearest colour, by squared distance, among the xterm colours in a
  /// range. It must be readable on all of the backgrounds. Nil if no colour is readable.
  func nearest(in range: ClosedRange<Int>, on backgrounds: RGB..., atLeast contrast: Double)
    -> Int?
  {
    nearest(in: range, on: backgrounds, atLeast: contrast)
  }

  func nearest(in range: ClosedRange<Int>, on backgrounds: [RGB], atLeast contrast: Double)
    -> Int?
  {
    let luminances = backgrounds.map(\.luminance)
    // Among the sixteen colours, a grey is often the nearest one even to a colour that isn't grey.
    let isColor = max(red, green, blue) - min(red, green, blue) >= Self.leastChroma
    var best: (distance: Int, index: Int)?
    for index in range where !isColor || !Self.greys.contains(index) {
      let (color, luminance) = (Self.xterm[index], Self.xtermLuminances[index])
      let isReadable = luminances.allSatisfy {
        (max(luminance, $0) + 0.05) / (min(luminance, $0) + 0.05) >= contrast
      }
      guard isReadable else { continue }
      let parts = [
        Int(color.red) - Int(red), Int(color.green) - Int(green), Int(color.blue) - Int(blue),
      ]
      let distance = parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2]
      if best.map({ distance < $0.distance }) ?? true { best = (distance, index) }
    }
    return best?.index
  }
}
