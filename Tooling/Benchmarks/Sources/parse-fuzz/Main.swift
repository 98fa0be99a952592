import CFuzzer
import MarkdownChecks

/// Checks everything that the parser promises on documents that libFuzzer makes; the words are
/// libFuzzer's own. A broken promise is a trap to it, as is every crash.
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
