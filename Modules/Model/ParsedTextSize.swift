/// The memory that a Markdown text takes when it is parsed, estimated from its bytes.
public enum ParsedTextSize {
  /// The maximum memory of a parsed text, in bytes. Texts that would take more are refused.
  public static let limit = 512 << 20
  /// The size of a text, in bytes, up to which its parsed text never exceeds ``limit``.
  private static let smallSize = 4 << 20

  /// Returns the approximate memory of a parsed text, in bytes, if it exceeds ``limit``; otherwise
  /// nil. O(bytes).
  public static func excessive(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > smallSize else { return nil }
    let memory = estimate(of: bytes)
    return memory > limit ? memory : nil
  }

  /// Returns the approximate memory of a parsed text, in bytes: for its letters, its lines, the
  /// characters that can be markup, and those that can begin a block. The amounts were measured on
  /// texts of one kind of markup each. O(bytes).
  package static func estimate(of bytes: [UInt8]) -> Int {
    var kinds = [UInt8](repeating: 0, count: 256)
    for byte in "*_`[]()<>&\\|~=^$:".utf8 { kinds[Int(byte)] = 1 }
    // These characters are markup only at the start of a block.
    for byte in "#+-!{}.".utf8 { kinds[Int(byte)] = 4 }
    for byte in " \t0123456789".utf8 { kinds[Int(byte)] = 2 }
    (kinds[10], kinds[13]) = (3, 3)
    var (marks, starts, lines) = (0, 0, 0)
    var isStart = true
    kinds.withUnsafeBufferPointer { kinds in
      bytes.withUnsafeBufferPointer { bytes in
        for byte in bytes {
          switch kinds[Int(byte)] {
          case 0: isStart = false
          case 1: if isStart { starts += 1 } else { marks += 1 }
          case 2: continue
          case 4: if isStart { starts += 1 }
          default:
            lines += 1
            isStart = true
          }
        }
      }
    }
    return bytes.count * 4 + lines * 120 + marks * 70 + starts * 240
  }
}
