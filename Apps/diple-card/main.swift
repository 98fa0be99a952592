import CardDrawing
import FoundationEssentials
import Glibc
import Interchange
import SystemSupport

// Renders the cards of `diple share`. It is a separate program, so that other commands needn't load
// Pango and the list of fonts.

let program = HelperProgram("diple-card", for: "diple share")

/// Reads the request in the folder, renders it, and writes the cards and the answer.
///
/// - Throws: `SystemCallError` if a file can't be read or written, or an error of the decoder. A
///   problem with the card is part of the answer.
func draw() throws {
  let order = try program.content(of: CardOrder.fileName, limit: CardOrder.sizeLimit)
  var answer = CardAnswer()
  do {
    let drawing = CardDrawing(try JSONDecoder().decode(CardOrder.self, from: Data(order)))
    let (files, unknown) = try drawing.cards()
    answer.unknownGlyphs = unknown
    for (index, bytes) in files.enumerated() {
      answer.files.append("card-\(index + 1)")
      try program.write(bytes, to: answer.files[index])
    }
  } catch let problem as CardError { answer = CardAnswer(problem: problem.description) }
  try program.write(try JSONEncoder().encode(answer), to: CardAnswer.fileName)
}

do { try draw() } catch {
  _ = Descriptor.write("diple-card: \(error)\n".utf8, to: 2)
  exit(6)
}
