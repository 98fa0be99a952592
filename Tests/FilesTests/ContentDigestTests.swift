import Model
import Testing

@testable import Files

/// Tests SHA-256 with and without the processor's instructions.
@Suite struct ContentDigestTests {
  @Test func `the digests of known texts are those of the standard`() {
    for (text, digest) in [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ] {
      #expect(ContentDigest(sha256: Array(text.utf8)).description == digest)
    }
  }

  @Test func `both implementations compute the same digest for every length`() {
    let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }
    for count in Array(0...300) + [4_095, 4_096, 65_535, 65_536, 70_000] {
      // At different addresses, which are not all word-aligned.
      bytes.dropFirst(min(count % 7, bytes.count - count)).prefix(count).withUnsafeBufferPointer {
        #expect(ContentDigest(sha256: $0) == ContentDigest(portable: $0), "\(count) bytes")
      }
    }
  }

  @Test func `the digest of pieces equals that of the whole`() {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 29 ^ $0 >> 5) }
    for (count, size) in [(0, 64), (1, 64), (64, 64), (10_000, 64), (9_999, 640), (8_192, 4_096)] {
      let whole = Array(bytes.prefix(count))
      let digest = ContentDigest(sha256Of: { take in
        for start in stride(from: 0, to: count, by: size) {
          whole[start..<min(start + size, count)].withUnsafeBufferPointer(take)
        }
      })
      #expect(digest == ContentDigest(sha256: whole), "\(count) bytes in pieces of \(size)")
    }
  }
}
