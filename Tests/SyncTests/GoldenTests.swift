import Model
import TestSupport
import Testing

@testable import Sync

/// Tests bytes of the first version, which all versions must write and read.
@Suite struct GoldenTests {
  private static let replica = ReplicaID(rawValue: 0x0102_0304_0506_0708)
  private static let other = ReplicaID(rawValue: 0xA1A2_A3A4_A5A6_A7A8)

  private static let content: SegmentContent = {
    let text = "The quick brown fox — jumps 👋 over the lazy dog."
    let digest = ContentDigest(bytes: (0..<32).map { $0 })!
    let document = Document.ID(Dot(replica: other, sequence: 5))
    let highlight = RecordReference.highlight(Highlight.ID(Dot(replica: replica, sequence: 41)))
    var sequence: Int64 = 40
    func operation(
      _ record: RecordReference, _ field: Operation.Field, _ value: Operation.Value,
      after milliseconds: Int64, counter: Int64 = 0, group: Int64? = nil, basis: [Dot] = []
    ) -> Operation {
      sequence += 1
      return Operation(
        dot: Dot(replica: replica, sequence: sequence),
        time: Timestamp(milliseconds: 1_790_000_000_000 + milliseconds, counter: counter),
        group: group ?? sequence, record: record, field: field, value: value, basis: basis)
    }
    func selector(_ version: Int) -> Operation.Value {
      .selector(
        Selector(
          exact: "quick brown", prefix: "The ", suffix: " fox — jumps 👋",
          position: TextRange(utf16: 4..<15), textDigest: version == 1 ? digest : nil,
          renderVersion: version))
    }
    return SegmentContent(
      operations: [
        operation(highlight, .created, .reference(document.dot), after: 0),
        operation(highlight, .selector, selector(1), after: 0, counter: 1, group: 41),
        operation(highlight, .color, .text("green"), after: 0, counter: 2, group: 41),
        operation(highlight, .tag("déjà vu"), .flag(true), after: 1000),
        operation(highlight, .tag("déjà vu"), .flag(false), after: 1000),
        operation(.document(document), .title, .text("A title"), after: -5000, counter: 7),
        operation(.library, .label(.blue), .text("Question"), after: 9000),
        operation(highlight, .selector, selector(2), after: 9001),
        operation(
          highlight, .note, .text("line\nline"), after: 9002,
          basis: [Dot(replica: other, sequence: 6)]),
        operation(
          .other(kind: 9, dot: document.dot), Operation.Field(rawValue: "mood"),
          .other([200, 1, 2, 3]), after: 9003),
        operation(.document(document), .purged, .none, after: 9004),
      ],
      texts: [CarriedText(document: document, digest: digest, renderVersion: 1, text: text)])
  }()

  private static let keys: VaultKeys = {
    let root = (0..<32).map { UInt8($0) &* 7 }
    return VaultKeys(stored: [1] + SampleVault.id.bytes + [1, 1] + root)!
  }()
  private static let device = DeviceKeys(stored: [1] + (0..<64).map { UInt8($0) &* 3 })!

  @Test func `the encoding of operations is unchanged`() throws {
    let content = Self.content
    let bytes = PartEncoder.encode(content.operations, texts: content.texts, isRun: true)
    #expect(hexadecimal(bytes) == Self.part)
    #expect(
      try PartDecoder.decode(bytes).operations.map(\.exactly) == content.operations.map(\.exactly))
    let chain = ChainHash.start(vault: SampleVault.id, replica: Self.replica)
    #expect(chain.description == Self.start)
    #expect(chain.adding(content.operations).description == Self.end)
    #expect(Self.device.publicKeys.description == Self.publicKeys)
    #expect(
      try ComparisonCode(
        vault: SampleVault.id, member: Self.device.publicKeys, device: Self.device.publicKeys
      ).description == Self.code)
  }

  @Test func `a segment of the first version can be read`() throws {
    let bytes = try #require(fromHexadecimal(Self.segment))
    let name = try #require(ObjectName(Self.name))
    let opened = try SegmentFile.open(
      bytes, named: name, keys: Self.keys, signer: Self.device.publicKeys)
    #expect(opened.content.exactly == Self.content.exactly)
    #expect(opened.after.description == Self.end)
  }

  @Test func `an operation is described in one line`() {
    #expect(
      Self.content.operations.map { OperationLine($0).description }.joined(separator: "\n")
        == Self.lines)
  }

  private static let part = """
    0100a1a2a3a4a5a6a7a80a000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f013554\
    686520717569636b2062726f776e20666f7820e28094206a756d707320f09f918b206f76657220746865206c617a\
    7920646f672e010b010102030405060708290080b083c59868060104000015060600040b040f15091110d00f1409\
    64c3a96ac3a02076750213200102f1fffff602010003030741207469746c6500e0da01001504626c756503085175\
    657374696f6e00020a000605040b1354686520717569636b2062726f776e20666f7820e28094206a756d707320f0\
    9f918b040b020030020b03096c696e650a6c696e65010002000203090100046d6f6f64c803010203000201000500
    """
  private static let start = """
    40b6d2ab9c6ffc25f31bae715b2d2a9688ba342ec7d5cf2ad853d78b95ebb55b
    """
  private static let end = """
    0164147e40aefb80ae1fe7f8712839d38cda7f19aa17bf7b99adc97cb89f8856
    """
  private static let publicKeys = """
    9a3360596bc21712c03345a9d4e9f184c0920619ecd4795b063d4f0987cf863f7c5a618462e752c6fca1a7560625\
    5c9c1bc12b67c2308b56c69a1d0e0b24a957
    """
  private static let code = """
    35865 52213 08877
    """
  private static let name = """
    v1/000102030405060708090a0b0c0d0e0f/0102030405060708/41-51.caa669a2d5a2e5d5.seg
    """
  private static let segment = """
    4449504c01010100000102030405060708090a0b0c0d0e0f01020304050607080000000100000000000000290000\
    000000000033c3f9a76b45d572eaedbeaaad54f739d3dddc6369989c35fca82d0e288e366f8295f269418553fa3c\
    9ecbaafbb7468b2a1b12e00a7f86094c20f3bbc6daac34d76755ccd84a4c8feb711fb7d98de3ea50467a2d170387\
    557c6c35caa2743003717adcd01fd963dc7fca799002242c6f5c67b7f7689d9e29ee5aabbc0297b5de3960e20c3b\
    3ae8c48a9400ac170bc2714aa6112a25746faf68f8c9e766bafece13af3f11813a00a726c7b63762b6a30ea48bcd\
    07268e13fd6b3be2f3f816dc5ac65fec0f329011fb8fdeaf386f4bcfad595d9feac6f542234cb5295bb5401de6c6\
    f6742cd52e01b17f292c9a5b676fd26734e2b6ec7a07f1c504069aa1e06322b9ca314cdaf075afc4f31b28c3a207\
    2cd2ea2cd0d49f61cee50ca7eab11edf2d8198198bbaf31b4a15c138cce3c5bdef9bf44fc6e358b7dee0c004f383\
    84f691092829e0b80532d3dd7e0ecea6bd9a98c9389e7d331e0663b08485f0f51893c35f00ed90bbd9716e3a5e50\
    7af3071fbc7201a4ee87f2575ec77e2599d0e2a056c937eae4355d5c6eadea44de8a4e1e78ce70f9007e2f7fdfb2\
    cae4f0ba12a9a2f541d821bd48da9b9a8e46c927b130641eb5916237cf904a2f1fdd056c8e7b7536223253a89cf6\
    25fc47ea7361375818802713719ad3a8e4b3b940cc6d6ab281a9eec626ba10ddd9e183d8292ddf9cc510effa6011\
    3d635d7158fdfa96ba77b837619a4538e9454a87545d34af11118857645fe0a26a14cc43f90510dfca706589d4ec\
    d7d9a40cd981a4edf9061cda07aae6c7e4e05d0adb817c59c9ce123a886f094fa09e077de2c33fd5a8e45e8962f9\
    337adce9efa5bec58fba6cb6eb029e1a0036ee7fe53ce8749d5881aabe0b82d0ed6f98ae9cdfc6f97a4ae1112a41\
    83266718f6b0e635b161b4010ded5ecef3f75cddcf895ed76ea2f0f307e92665e032b03c56a857f641b621b7a690\
    b90555423ddbfa94265749e356eb4e70c19e3edb51ab008091ca789f1c220499c81c1c02d3b685d127712e163fc9\
    5158eec3926bdce87947ef6dfc9fe2eebb42c8c53d65c4a54fc1c07564c784e1d859f62ff4680f173ef07acc72f1\
    dfa49e4c3dc4dca689e3746367d7d7eaa762c99f0bc95763f15c5237d87949020adbc3c09cf4a035b861d0769fe9\
    d99233a938dc8263f9ba0af310feb1850ce552db1b8e554ac088d19614516527f1d0023116fa65753dfe3a305d38\
    501198d51d526beeec040604389e6630101d326cf2b15687e2a951b2880fe0d64438dac20531ca49b4b66a91f7e6\
    8d3033893e0005941be391db014bbe6a810be6c01163fb26e8d742f2e60ae26f3e9e2856066bea32aaebcf801214\
    a64a6439b8c460ed448d08cbda13788010c2aec1ed87148c7bb446c5137376396c9e90f5b29cb72c9d6278999126\
    babf4f7f81285a128f66dee115e721ff5c6e00cbd335e335b8b77ca8ecec687d40ca848ade3284412b97660a1bca\
    8be66f3c9198d49aaf854d5b451f2f85ea8a5771c31b91afd0cd1b9c8689b749da63a653480354822538adaab3ce\
    96705186337a1e7976a8238a0da21df6e62eb43a955a21f741ae12471a96b99cc064cf8a5ec4d045bb838297a895\
    7e5cc3ded393ec22834a891831ef98e40c
    """
  private static let lines = #"""
    {"act":41,"counter":0,"field":"created","kind":"highlight","operation":"41-010203040506070\#
    8","record":"41-0102030405060708","replaces":[],"time":"2026-09-21T14:13:20.000Z","value":\#
    {"record":"5-a1a2a3a4a5a6a7a8"}}
    {"act":41,"counter":1,"field":"selector","kind":"highlight","operation":"42-01020304050607\#
    08","record":"41-0102030405060708","replaces":[],"time":"2026-09-21T14:13:20.000Z","value"\#
    :{"exact":"quick brown","position":{"end":15,"start":4},"prefix":"The ","renderVersion":1,\#
    "suffix":" fox — jumps 👋","textDigest":"000102030405060708090a0b0c0d0e0f101112131415161\#
    718191a1b1c1d1e1f"}}
    {"act":41,"counter":2,"field":"color","kind":"highlight","operation":"43-0102030405060708"\#
    ,"record":"41-0102030405060708","replaces":[],"time":"2026-09-21T14:13:20.000Z","value":"g\#
    reen"}
    {"act":44,"counter":0,"field":"tag/déjà vu","kind":"highlight","operation":"44-01020304050\#
    60708","record":"41-0102030405060708","replaces":[],"time":"2026-09-21T14:13:21.000Z","val\#
    ue":true}
    {"act":45,"counter":0,"field":"tag/déjà vu","kind":"highlight","operation":"45-01020304050\#
    60708","record":"41-0102030405060708","replaces":[],"time":"2026-09-21T14:13:21.000Z","val\#
    ue":false}
    {"act":46,"counter":7,"field":"title","kind":"document","operation":"46-0102030405060708",\#
    "record":"5-a1a2a3a4a5a6a7a8","replaces":[],"time":"2026-09-21T14:13:15.000Z","value":"A t\#
    itle"}
    {"act":47,"counter":0,"field":"label/blue","kind":"library","operation":"47-01020304050607\#
    08","record":null,"replaces":[],"time":"2026-09-21T14:13:29.000Z","value":"Question"}
    {"act":48,"counter":0,"field":"selector","kind":"highlight","operation":"48-01020304050607\#
    08","record":"41-0102030405060708","replaces":[],"time":"2026-09-21T14:13:29.001Z","value"\#
    :{"exact":"quick brown","position":{"end":15,"start":4},"prefix":"The ","renderVersion":2,\#
    "suffix":" fox — jumps 👋"}}
    {"act":49,"counter":0,"field":"note","kind":"highlight","operation":"49-0102030405060708",\#
    "record":"41-0102030405060708","replaces":["6-a1a2a3a4a5a6a7a8"],"time":"2026-09-21T14:13:\#
    29.002Z","value":"line\nline"}
    {"act":50,"counter":0,"field":"mood","kind":"unknown-9","operation":"50-0102030405060708",\#
    "record":"5-a1a2a3a4a5a6a7a8","replaces":[],"time":"2026-09-21T14:13:29.003Z","value":{"un\#
    known":"c8010203"}}
    {"act":51,"counter":0,"field":"purged","kind":"document","operation":"51-0102030405060708"\#
    ,"record":"5-a1a2a3a4a5a6a7a8","replaces":[],"time":"2026-09-21T14:13:29.004Z","value":null}
    """#
}
