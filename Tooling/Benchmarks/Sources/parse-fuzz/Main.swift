import CFuzzer
import MarkdownChecks

/// Checks all invariants of the parser with documents that libFuzzer generates. The arguments are
/// those of libFuzzer. The program traps if an invariant is violated, which libFuzzer reports.
@main
enum Main {
  static func main() {
    var count = CommandLine.argc
    var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    let status = LLVMFuzzerRunDriver(&count, &words) { start, count in
      do {
        try DocumentCheck.run(Array(UnsafeBufferPointer(start: start, count: count)))
      } catch {
        fatalError("\(error)")
      }
      return 0
    }
    precondition(status == 0, "libFuzzer ended with \(status)")
  }
}
