import Model
package import SystemSupport

/// Lists the font families of this machine.
package struct ListFonts: Action {
  package static let name = "font.list"
  package static let summary = "Lists the font families that are installed on this machine."
  package static let effect = ActionEffect.reads
  package static let parameters = [
    ActionParameter("text", .text, "Only families that contain this text.")
  ]
  package static let examples = [ListFonts(text: "garamond")]

  package var text: String?

  package init(text: String? = nil) { self.text = text }

  package struct Outcome: ActionOutcome {
    /// The families in alphabetical order.
    package var families: [String]

    /// Creates the outcome of a search for families that contain a text.
    package init(_ fonts: InstalledFonts, containing text: String?) {
      let wanted = text?.lowercased()
      families = fonts.families.filter { family in
        wanted.map { family.lowercased().contains($0) } ?? true
      }
    }

    package var json: String { JSON.line("diple.fonts/1", families) }
  }

  package func run(in session: ActionSession) async throws -> Outcome {
    Outcome(try await InstalledFonts(session.environment), containing: text)
  }
}

/// A font that was set although it isn't installed, so that another one is shown in its place.
package struct MissingFont: Hashable, Sendable {
  package var name: String
  /// An installed family with a similar name; nil if there is none.
  package var similar: String?

  /// Looks for the font in a request's attributes. Nil if they set no font, if it is installed, or
  /// if the installed fonts are unknown.
  package init?(_ set: [String: String]?, _ environment: [String: String]) async {
    // The word `none` removes the font.
    guard let name = set?["font"], name != "none",
      let fonts = try? await InstalledFonts(environment),
      !fonts.contains(name)
    else { return nil }
    self.name = name
    similar = Spelling.nearest(to: name, among: fonts.families)
  }

  /// The message for the user, with a hint.
  package var notice: Hint {
    let text = "the font '\(name.oneLine)' is not installed on this machine; "
    if let similar { return Hint(text + Spelling.question(similar.oneLine)) }
    return "\(text)\(action: ListFonts.name, [:]) lists the fonts"
  }
}
