import Model
import Testing

@Suite struct LibraryAddressTests {
  private let dot = Dot(replica: ReplicaID(rawValue: 0x9f3c_0a55_17e2_b846), sequence: 42)

  @Test func `an address is equal after printing and parsing`() {
    let library = ReplicaID(rawValue: 7)
    for address in [
      LibraryAddress(.highlight(Highlight.ID(dot)), in: library),
      LibraryAddress(.highlight(Highlight.ID(dot)), in: nil),
      LibraryAddress(.document(Document.ID(dot)), in: library),
    ] {
      #expect(LibraryAddress(address.description) == address, "\(address)")
    }
    #expect(
      LibraryAddress(.highlight(Highlight.ID(dot)), in: library).description
        == "diple:hl/42-9f3c0a5517e2b846?library=0000000000000007")
    #expect(LibraryAddress("DIPLE://hl/42-9f3c0a5517e2b846") != nil)
  }

  @Test(arguments: [
    "", "diple:", "diple:hl", "diple:hl/", "diple:hl/42", "diple:hl/-42-9f3c0a5517e2b846",
    "diple:hl/42-9f3c0a5517e2b846/x", "diple:/hl/42-9f3c0a5517e2b846", "diple:hl/../../etc/passwd",
    "diple:run/42-9f3c0a5517e2b846", "http:hl/42-9f3c0a5517e2b846",
    "diple:hl/42-9f3c0a5517e2b846?library=/tmp/evil",
    "diple:hl/42-9f3c0a5517e2b846?library=0000000000000007&run=x",
    "diple:hl/42-9f3c0a5517e2b846#x", "diple:hl/42-9f3c0a5517e2b846\n",
    "diple:hl/42-9f3c0a5517e2b846\0",
    "diple:hl/42-9f3c0a5517e2b846?", "diple:hl/%34%32-9f3c0a5517e2b846",
  ])
  func `an invalid address is nil`(_ text: String) {
    #expect(LibraryAddress(text) == nil)
  }

  @Test func `a very long address is nil`() {
    #expect(
      LibraryAddress("diple:hl/42-9f3c0a5517e2b846?library=" + String(repeating: "0", count: 9_999))
        == nil)
  }
}
