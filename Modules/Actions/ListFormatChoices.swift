import RichText
import SystemSupport
import Workspace

/// Lists what a format palette offers beside the fixed formats: styles, fonts and recent colours.
package struct ListFormatChoices: Action {
  package static let name = "format.choices"
  package static let summary =
    "Lists the styles with their keys, the installed fonts and the colours that were chosen last."
  package static let effect = ActionEffect.reads
  package static let parameters: [ActionParameter] = []
  package static let examples = [ListFormatChoices()]

  package init() {}

  package struct Outcome: ActionOutcome, Encodable {
    package var styles: [StyleRecord]
    /// The installed font families; empty if they are unknown.
    package var fonts: [String]
    /// The colours as `#rrggbb`, the last one first.
    package var colors: [String]

    package var json: String { JSON.line("diple.format-choices/1", self) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    let sheet = try await session.library.styles()
    return Outcome(
      styles: sheet.styles.map { StyleRecord($0, sheet) },
      fonts: (try? await InstalledFonts(session.environment))?.families ?? [],
      colors: RecentColors(session.environment).colors.map { "\($0)" })
  }
}
