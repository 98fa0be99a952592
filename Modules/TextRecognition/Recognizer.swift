import CTesseract
import Glibc
package import Interchange

/// Recognises the words of a picture with Tesseract. Call `release` at the end.
///
///     let recognizer = try Recognizer(languages: "eng+deu")
///     defer { recognizer.release() }
///     let page = try recognizer.page("photo.jpg")
package struct Recognizer {
  private let handle: OpaquePointer

  /// Loads the models of some languages.
  ///
  /// - Parameter languages: Tesseract's names, joined with `+`: `eng+deu`.
  /// - Throws: `ScanError` for an invalid name, or a language without an installed model.
  package init(languages: String) throws(ScanError) {
    let isName = languages.split(separator: "+", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
    guard isName, languages.utf8.count <= 200 else {
      throw ScanError(
        "usage", "invalid languages: '\(languages.prefix(100))'", hint: "write them as eng+deu")
    }
    handle = TessBaseAPICreate()
    guard TessBaseAPIInit3(handle, nil, languages) == 0 else {
      let packages = languages.split(separator: "+").map {
        "tesseract-ocr-\($0.replacing("_", with: "-"))"
      }
      throw ScanError(
        "notFound", "Tesseract has no model for \(languages)",
        hint: "sudo apt-get install \(packages.joined(separator: " "))")
    }
    TessBaseAPISetVariable(handle, "debug_file", "/dev/null")
    TessBaseAPISetPageSegMode(handle, PSM_AUTO)
  }

  /// Frees the models.
  package func release() {
    TessBaseAPIEnd(handle)
    TessBaseAPIDelete(handle)
  }

  /// The mean confidence of words, in percent, below which a page may be upside down.
  private static let doubtful = 70.0
  /// The magnitude of `uprightness` from which it is conclusive.
  private static let clearRotation = 8.0

  /// Recognises a page. If it is unclear whether the page is upright, recognises it in both
  /// directions and returns the result with the higher confidence.
  ///
  /// - Throws: `ScanError` if the picture cannot be read or has no words.
  package func page(_ path: String) throws(ScanError) -> ScannedPage {
    var image = try PageImage(path)
    defer { image.release() }
    image.level()
    let uprightness = image.uprightness()
    if uprightness < -Self.clearRotation { image.turn(quarters: 2) }
    var page = words(of: image)
    if uprightness.magnitude <= Self.clearRotation, page.confidence < Self.doubtful {
      image.turn(quarters: 2)
      let other = words(of: image)
      if other.confidence > page.confidence {
        page = other
      } else {
        image.turn(quarters: 2)
      }
    }
    guard !page.words.isEmpty else {
      throw ScanError("nothing", "\(path) has no words that can be read")
    }
    return page
  }

  private func words(of image: PageImage) -> ScannedPage {
    var page = ScannedPage()
    (page.width, page.height) = (image.width, image.height)
    (page.quarters, page.angle) = (image.quarters, image.angle)
    TessBaseAPISetImage2(handle, image.picture)
    TessBaseAPISetSourceResolution(handle, 300)
    guard TessBaseAPIRecognize(handle, nil) == 0, let results = TessBaseAPIGetIterator(handle)
    else {
      return page
    }
    defer { TessResultIteratorDelete(results) }
    let place = TessResultIteratorGetPageIterator(results)
    var (line, paragraph) = (-1, -1)
    repeat {
      if TessPageIteratorIsAtBeginningOf(place, RIL_PARA) != 0 { paragraph += 1 }
      if TessPageIteratorIsAtBeginningOf(place, RIL_TEXTLINE) != 0 { line += 1 }
      guard let text = TessResultIteratorGetUTF8Text(results, RIL_WORD) else { continue }
      defer { TessDeleteText(text) }
      let word = String(cString: text).filter { !$0.isWhitespace }
      var (left, top, right, bottom): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
      guard !word.isEmpty, page.words.count < ScanAnswer.mostWords,
        TessPageIteratorBoundingBox(place, RIL_WORD, &left, &top, &right, &bottom) != 0
      else { continue }
      let corners = [(left, top), (right, top), (right, bottom), (left, bottom)].flatMap { x, y in
        let point = image.stored(Double(x), Double(y))
        return [(point.x * 10).rounded() / 10, (point.y * 10).rounded() / 10]
      }
      let confidence = Double(TessResultIteratorConfidence(results, RIL_WORD))
      page.words.append(
        ScannedPage.Word(
          word, confidence: (confidence * 10).rounded() / 10, corners: corners, line: max(line, 0),
          paragraph: max(paragraph, 0)))
    } while TessResultIteratorNext(results, RIL_WORD) != 0
    return page
  }
}
