import CardDrawing
import FoundationEssentials
import Glibc
import Interchange
import SystemSupport

// Renders the cards of `diple share`. It is a separate program, so that other commands needn't load
// Pango and the list of fonts.

/// Reads the request in a folder, renders it, and writes the cards and the answer to the folder.
///
/// - Throws: `SystemCallError` if a file can't be read or written, or an error of the decoder. A
///   problem with the card is part of the answer.
func draw(in folder: String) throws {
  let path = folder.appending(CardOrder.fileName)
  guard let order = try PrivateFile.content(of: path, limit: CardOrder.sizeLimit) else {
    throw SystemCallError(ENOENT)
  }
  var answer = CardAnswer()
  do {
    let drawing = CardDrawing(try JSONDecoder().decode(CardOrder.self, from: Data(order)))
    let (files, unknown) = try drawing.cards()
    answer.unknownGlyphs = unknown
    for (index, bytes) in files.enumerated() {
      answer.files.append("card-\(index + 1)")
      try PrivateFile.make(folder.appending(answer.files[index]), holding: bytes)
    }
  } catch let problem as CardError { answer = CardAnswer(problem: problem.description) }
  try PrivateFile.make(
    folder.appending(CardAnswer.fileName), holding: try JSONEncoder().encode(answer))
}

guard CommandLine.arguments.count == 2 else {
  _ = Descriptor.write(
    "diple-card: this program is for `diple share`; see `diple share --help`\n".utf8, to: 2)
  exit(2)
}
do { try draw(in: CommandLine.arguments[1]) } catch {
  _ = Descriptor.write("diple-card: \(error)\n".utf8, to: 2)
  exit(6)
}
