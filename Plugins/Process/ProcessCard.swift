import FoundationEssentials
import Interchange
import Model
import SystemSupport

/// A card strategy that runs a program.
struct ProcessCard: CardStrategy {
  static let id = "process-card"
  static let summary = "a program that draws a quote"
  static let examples: [CardExample] = []

  let program: PluginProgram

  private struct Request: Encodable {
    var diple = PluginManifest.version
    var request = "card"
    var record: PluginHighlight
  }

  func card(of quote: AnnotationRecord) throws(StrategyError) -> Card {
    do throws(PluginError) {
      let answers = try program.answers(to: Request(record: PluginHighlight(quote)))
      guard let media = answers.first?.media, Self.isMediaType(media) else {
        throw PluginError("line 1 of its answer does not name the media type of the card")
      }
      var bytes: [UInt8] = []
      for (index, answer) in answers.enumerated().dropFirst() {
        if let text = answer.text {
          bytes += text.utf8
        } else if let base64 = answer.base64, let data = Data(base64Encoded: base64) {
          bytes += data
        } else {
          throw PluginError("line \(index + 1) of its answer is not a valid card part")
        }
      }
      guard !bytes.isEmpty else { throw PluginError("its card is empty") }
      return Card(mediaType: media, bytes: bytes)
    } catch { throw StrategyError(program.named(error)) }
  }

  /// Returns whether a text is a media type without parameters, as specified in RFC 6838.
  private static func isMediaType(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { part in
        !part.isEmpty && part.count <= 127
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
      }
  }
}
