import Foundation
import TestSupport
import Testing

@testable import Model

/// Tests the fast parser of stored origins against the decoder.
@Suite struct StoredOriginTests {
  private let full: Origin = {
    var origin = Origin(
      format: "kindle", key: "id:12", marked: .green, quoteDigest: "aa", passageDigest: "bb")
    origin.source = "books/größe.md"
    origin.title = "A title"
    origin.author = "日本語"
    origin.location = "page 12"
    origin.color = "orange"
    origin.created = Date(timeIntervalSince1970: 1_767_225_600)
    origin.updated = Date(timeIntervalSince1970: 1_709_164_799)
    origin.quote = "words"
    origin.note = "a note"
    origin.tags = ["one", "two"]
    origin.earlierKeys = []
    return origin
  }()

  @Test func `an origin without escapes is parsed without the decoder`() throws {
    #expect(plain(StoredOrigin(full).text) == full)
    #expect(StoredOrigin(full).origin == full)
    let small = Origin(
      format: "w3c", key: "k", marked: .yellow, quoteDigest: "", passageDigest: "")
    #expect(plain(StoredOrigin(small).text) == small)
    // The object of the source is the only member that may have escapes.
    for object in [#"{"a":"b\\\"c","d":[1,"\u{1F600}/"]}"#, "", "\\", "\"\\\"\n\u{1}"] {
      var kept = full
      kept.object = object
      #expect(plain(StoredOrigin(kept).text) == kept)
      #expect(StoredOrigin(kept).origin == kept)
    }
  }

  @Test func `an origin is written as by the encoder`() throws {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    let letters = Array("abc /\"\\\n\u{7F}\u{9B}é日\u{2028}\u{1F600}".unicodeScalars)
    func text() -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        text.append(
          letters[Int.random(in: 0..<(Bool.random(using: &random) ? 4 : 13), using: &random)])
      }
      return String(text)
    }
    func optional() -> String? { Bool.random(using: &random) ? text() : nil }
    func date() -> Date? {
      Bool.random(using: &random)
        ? Date(timeIntervalSince1970: .random(in: -1e9..<5e9, using: &random)) : nil
    }
    var quickCount = 0
    for _ in 0..<3_000 {
      var origin = Origin(
        format: "w3c", key: text(), marked: .pink, quoteDigest: "q", passageDigest: text())
      (origin.author, origin.color, origin.location) = (optional(), optional(), optional())
      (origin.note, origin.quote, origin.source) = (optional(), optional(), optional())
      (origin.title, origin.created, origin.updated) = (optional(), date(), date())
      origin.tags = optional().map { [$0, text()] }
      origin.object = optional()
      origin.earlierKeys = optional().map { _ in [] }
      let encoded = try JSONEncoder.ordered(dates: .iso8601).encode(origin)
      if let quick = origin.plainJSON {
        quickCount += 1
        #expect(quick == String(decoding: encoded, as: UTF8.self), "seed \(seed)")
      }
      #expect(StoredOrigin(origin).text == String(decoding: encoded, as: UTF8.self), "seed \(seed)")
    }
    #expect(quickCount > 100)
  }

  @Test func `an origin that the fast parser rejects is read by the decoder`() {
    var origin = full
    origin.note = "two\nlines, a \"quote\" and \\"
    origin.earlier = [.init(quote: "before", location: nil, created: nil)]
    #expect(plain(StoredOrigin(origin).text) == nil)
    #expect(StoredOrigin(origin).origin == origin)
  }

  @Test func `changed bytes are parsed as by the decoder, or not at all`() {
    let seed = SeededGenerator.runSeed
    var random = SeededGenerator(seed: seed)
    let bytes = Array(StoredOrigin(full).text.utf8)
    let signs = Array("\"{}[],:\\0912-TZ \u{1}\u{7F}é".utf8)
    for _ in 0..<5_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: changed.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: changed[place] = signs.randomElement(using: &random)!
        case 1: changed.remove(at: place)
        default: changed.insert(signs.randomElement(using: &random)!, at: place)
        }
      }
      let text = String(decoding: changed, as: UTF8.self)
      guard let quick = plain(text) else { continue }
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      let decoded = try? decoder.decode(Origin.self, from: Data(text.utf8))
      #expect(quick == decoded, "\(text), seed \(seed)")
    }
  }

  @Test func `days are counted as by the calendar`() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "UTC")!
    // Foundation's calendar is Julian before 1582.
    for number in stride(from: -135_140, through: 2_000_000, by: 97) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(number) * 86_400))
      let day = CivilDay(number: number)
      #expect(day == CivilDay(year: parts.year!, month: parts.month!, day: parts.day!))
      #expect(day.number == number)
    }
    #expect(Date(plainISO8601: "2026-02-29T00:00:00Z".utf8) == nil)
    #expect(Date(plainISO8601: "2024-02-29T23:59:59Z".utf8) != nil)
  }

  private func plain(_ text: String) -> Origin? {
    var text = text
    return text.withUTF8(Origin.init(plainJSON:))
  }
}
