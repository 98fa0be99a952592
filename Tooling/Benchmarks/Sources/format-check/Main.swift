import Foundation
import RichText
import RichTextChecks
import RichTextFormats

/// Checks the reader of RTF with randomly changed files.
/// usage: format-check COUNT [SEED]     exit code 1 for a violated invariant, 2 for bad usage
///        format-check FILE.rtf…        reads files and prints their texts
///        format-check --checklist      prints the RTF for `Tooling/check-office.py`
@main
enum Main {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "--checklist" {
      let bytes = RTFWriter.write(RichDocument(text: try OfficeChecklist.text()))
      return FileHandle.standardOutput.write(Data(bytes))
    }
    if words.contains(where: { $0.hasSuffix(".rtf") }) { return try read(Array(words)) }
    guard let count = words.first.flatMap({ Int($0) }), count > 0, words.count <= 2,
      let seed = words.count == 1 ? UInt64.random(in: 1...UInt64(UInt32.max)) : UInt64(words.last!)
    else {
      FileHandle.standardError.write(
        Data("usage: format-check COUNT [SEED] | FILE.rtf… | --checklist\n".utf8))
      exit(2)
    }
    print("\(count) files from seed \(seed)")
    var mutations = RTFMutations(seed: seed)
    var bytes = 0
    let time = ContinuousClock().measure {
      for number in 1...count {
        let file = mutations.next()
        bytes += file.count
        do {
          try RTFMutations.check(file)
        } catch {
          print("file \(number): \(error)")
          exit(1)
        }
      }
    }
    print("\(bytes) bytes in \(time.formatted(.units(allowed: [.seconds]))): no errors")
  }

  private static func read(_ paths: [String]) throws {
    for path in paths {
      let document = try RTFReader.read(Array(try Data(contentsOf: URL(filePath: path))))
      print(document.text.string)
    }
  }
}
