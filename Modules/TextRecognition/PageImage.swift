import CTesseract
import Glibc
import Interchange

/// A picture of a page that was turned upright, levelled and evenly lit. It maps its points back to
/// the stored picture.
struct PageImage {
  typealias Picture = UnsafeMutablePointer<Pix>

  /// The picture in grey.
  private(set) var picture: Picture
  /// The width of the stored picture in pixels.
  let width: Int
  let height: Int
  /// The number of clockwise quarter turns.
  private(set) var quarters = 0
  /// The clockwise rotation after the quarter turns, in degrees.
  private(set) var angle = 0.0
  /// The size relative to the stored picture.
  private let scale: Double

  /// The threshold of ink: darker values are ink.
  private static let ink: Int32 = 200
  /// The maximum skew of lines that is corrected, in degrees.
  private static let sweep: Float = 20
  /// The limits of the longer side, in pixels: smaller pictures are enlarged, at most twofold, and
  /// larger ones reduced.
  private static let leastSide = 1400.0
  private static let mostSide = 3600.0

  /// Reads a picture. Checks the size in its header before it is decoded.
  ///
  /// - Throws: `ScanError` if the file is missing, too large, damaged or not a picture.
  init(_ path: String) throws(ScanError) {
    let (format, width, height) = try Self.head(of: path)
    let kinds = [
      IFF_PNG, IFF_JFIF_JPEG, IFF_WEBP, IFF_TIFF, IFF_TIFF_G4, IFF_TIFF_G3,
      IFF_TIFF_LZW, IFF_TIFF_ZIP, IFF_TIFF_PACKBITS, IFF_TIFF_RLE, IFF_TIFF_JPEG,
    ].map { Int32($0) }
    guard kinds.contains(format) else {
      throw ScanError("usage", "\(path) is not a PNG, JPEG, TIFF or WebP picture")
    }
    guard width > 0, height > 0, Int(width) * Int(height) <= ScanOrder.mostPoints else {
      throw ScanError(
        "usage",
        """
        \(path) has \(width) × \(height) points, more than \(ScanOrder.mostPoints / 1_000_000) \
        million
        """
      )
    }
    guard var picture = pixRead(path) else {
      throw ScanError("usage", "\(path) is damaged or not a picture")
    }
    (self.width, self.height) = (Int(pixGetWidth(picture)), Int(pixGetHeight(picture)))
    func replace(_ other: Picture?) {
      guard let other else { return }
      var old: Picture? = picture
      pixDestroy(&old)
      picture = other
    }
    if pixGetSpp(picture) == 4 { replace(pixRemoveAlpha(picture)) }
    replace(pixConvertTo8(picture, 0))
    let side = Double(max(self.width, self.height))
    scale =
      side < Self.leastSide
      ? min(Self.leastSide / side, 2)
      : side > Self.mostSide ? Self.mostSide / side : 1
    if scale != 1 { replace(pixScale(picture, Float(scale), Float(scale))) }
    replace(pixBackgroundNormSimple(picture, nil, nil))
    // Normalisation sets paper to 200. Rotation fills corners with white, so paper becomes
    // white too.
    replace(pixGammaTRC(nil, picture, 1, 30, 190))
    self.picture = picture
  }

  /// Returns format, width and height from a picture's header.
  private static func head(of path: String) throws(ScanError) -> (Int32, Int32, Int32) {
    var (format, width, height): (Int32, Int32, Int32) = (0, 0, 0)
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw ScanError("notFound", "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= ScanOrder.pictureLimit else {
      throw ScanError(
        "usage", "\(path) is larger than \(ScanOrder.pictureLimit >> 20) MiB or not a file")
    }
    guard pixReadHeader(path, &format, &width, &height, nil, nil, nil) == 0 else {
      throw ScanError("usage", "\(path) is not a PNG, JPEG, TIFF or WebP picture")
    }
    return (format, width, height)
  }

  /// Frees the picture.
  func release() {
    var picture: Picture? = picture
    pixDestroy(&picture)
  }

  // MARK: - Turning

  /// Rotates the page so that its lines are level: by a quarter turn if they are vertical, and by
  /// their skew.
  mutating func level() {
    let black = pixThresholdToBinary(picture, Self.ink)
    let turned = pixRotateOrth(black, 1)
    var pictures = [black, turned]
    defer { for index in pictures.indices { pixDestroy(&pictures[index]) } }
    let (flat, steep) = (Self.skew(of: black), Self.skew(of: turned))
    var found = flat
    if steep.score > flat.score * 1.5 {
      found = steep
      turn(quarters: 1)
    }
    guard found.confidence > 2, found.angle.magnitude > 0.05 else { return }
    angle = found.angle
    replace(
      pixRotate(
        picture, Float(angle * Double.pi / 180), Int32(L_ROTATE_AREA_MAP), Int32(L_BRING_IN_WHITE),
        pixGetWidth(picture), pixGetHeight(picture)))
  }

  /// Returns the clockwise rotation in degrees that makes lines level, its confidence, and the
  /// variance of the rows as a score.
  private static func skew(of picture: Picture?) -> (
    angle: Double, confidence: Double, score: Double
  ) {
    var (angle, confidence, score): (Float, Float, Float) = (0, 0, 0)
    // The picture is reduced by 4 for the sweep and by 2 for the search. One degree is still many
    // rows in the reduced picture.
    let failed = pixFindSkewSweepAndSearchScore(
      picture, &angle, &confidence, &score, 4, 2, 0, sweep, 1, 0.01)
    return failed != 0 ? (0, 0, 0) : (Double(angle), Double(confidence), Double(score))
  }

  /// Returns the confidence that the page is upright: positive for upright, negative for upside
  /// down, near 0 if the letters are inconclusive.
  func uprightness() -> Double {
    var black = pixThresholdToBinary(picture, Self.ink)
    defer { pixDestroy(&black) }
    var confidence: Float = 0
    guard pixUpDownDetect(black, &confidence, 0, 0, 0) == 0 else { return 0 }
    return Double(confidence)
  }

  /// Turns the page clockwise.
  mutating func turn(quarters count: Int) {
    quarters = (quarters + count) % 4
    // `angle` stays the same, because it is relative to the page.
    replace(pixRotateOrth(picture, Int32(count)))
  }

  private mutating func replace(_ other: Picture?) {
    guard let other else { return }
    release()
    picture = other
  }

  // MARK: - The way back

  /// Maps a point of this picture to the stored picture, in pixels.
  func stored(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    // All rotations are around the centre. A page that was turned after it was levelled has the
    // same angle in its own frame.
    let (ownX, ownY) = (x - Double(pixGetWidth(picture)) / 2, y - Double(pixGetHeight(picture)) / 2)
    let radians = -angle * Double.pi / 180
    var (backX, backY) = (
      ownX * cos(radians) - ownY * sin(radians), ownX * sin(radians) + ownY * cos(radians)
    )
    for _ in 0..<quarters { (backX, backY) = (backY, -backX) }
    return (
      min(max(backX / scale + Double(width) / 2, 0), Double(width)),
      min(max(backY / scale + Double(height) / 2, 0), Double(height))
    )
  }
}
