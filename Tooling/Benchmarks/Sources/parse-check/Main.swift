import Foundation
import MarkdownChecks

/// Checks all invariants of the parser with generated documents.
/// usage: parse-check COUNT [SEED]     exit code 1 for a violated invariant, 2 for bad usage
@main
enum Main {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    guard let count = words.first.flatMap({ Int($0) }), count > 0, words.count <= 2,
      let seed = words.count == 1 ? UInt64.random(in: 1...UInt64(UInt32.max)) : UInt64(words.last!)
    else {
      FileHandle.standardError.write(Data("usage: parse-check COUNT [SEED]\n".utf8))
      exit(2)
    }
    print("\(count) documents from seed \(seed)")
    var documents = DocumentGenerator(seed: seed)
    var bytes = 0
    let time = ContinuousClock().measure {
      for number in 1...count {
        let document = documents.next()
        bytes += document.count
        do {
          try DocumentCheck.run(document)
        } catch {
          let shown = String(decoding: document, as: UTF8.self).debugDescription
          print("document \(number): \(error)\n\(shown)\n\(document)")
          exit(1)
        }
      }
    }
    print("\(bytes) bytes in \(time.formatted(.units(allowed: [.seconds]))): no errors")
  }
}
