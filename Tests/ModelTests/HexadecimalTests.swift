import Model
import Testing

@Suite struct HexadecimalTests {
  @Test func `bytes and hexadecimal digits convert into each other`() {
    let all = Array(UInt8.min...UInt8.max)
    #expect(fromHexadecimal(hexadecimal(all)) == all)
    #expect(fromHexadecimal("0aFf") == [10, 255] && fromHexadecimal("") == [])
    for text in ["a", "0g", "+5", "-1", " 1", "0x", "٠١"] {
      #expect(fromHexadecimal(text) == nil, "\(text)")
    }
    #expect(fromLowerHexadecimal("0aff") == [10, 255] && fromLowerHexadecimal("0aFf") == nil)
  }

  @Test func `identities and digests accept no sign`() {
    #expect(ReplicaID("+123456789abcdef") == nil)
    #expect(ContentDigest(String(repeating: "+1", count: 32)) == nil)
  }

  @Test func `percent escapes are decoded, and invalid ones are kept`() {
    func text(_ encoded: String) -> String {
      String(decoding: PercentEncoding.decoded(encoded).bytes, as: UTF8.self)
    }
    #expect(text("a%20b%c3%A4") == "a bä" && PercentEncoding.decoded("%41").isValid)
    for invalid in ["%", "%4", "%4g", "%+5", "%%41"] {
      let decoded = PercentEncoding.decoded(invalid)
      #expect(!decoded.isValid, "\(invalid)")
      #expect(text(invalid) == (invalid == "%%41" ? "%A" : invalid))
    }
    #expect(
      PercentEncoding.encoded("a b/ä~", keeping: PercentEncoding.isUnreserved) == "a%20b%2F%C3%A4~")
  }
}
