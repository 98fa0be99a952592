/// The fonts that are installed on this machine according to fontconfig.
package struct InstalledFonts: Sendable {
  /// The names of the font families, sorted and without duplicates.
  package let families: [String]
  /// All names of the families in lower case, also those in other languages.
  private let names: Set<String>

  /// The maximum size of the list in bytes.
  private static let limit = 4 << 20
  /// The time limit. The first list after fonts were installed takes seconds.
  private static let time = Duration.seconds(20)

  /// Lists the fonts.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if fontconfig isn't installed, `plugin` if it
  ///   fails.
  package init(_ environment: [String: String]) async throws(UserError) {
    let bytes: [UInt8]
    do throws(CapturedProgram.Failure) {
      bytes = try await CapturedProgram.output(
        of: "fc-list", ["--format", "%{family}\n"], environment: environment, limit: Self.limit,
        time: Self.time)
    } catch {
      throw error.wasStarted
        ? UserError(.plugin, "fc-list failed: \(error.description)")
        : UserError(
          .notFound, "fontconfig is not installed", hint: "apt install fontconfig")
    }
    self.init(listed: String(decoding: bytes, as: UTF8.self))
  }

  /// Parses the output of fc-list: a line for each font, with the names of its family separated by
  /// commas.
  init(listed text: String) {
    var (families, names): (Set<String>, Set<String>) = ([], [])
    for line in text.split(separator: "\n") {
      let all = line.split(separator: ",").map(String.init)
      if let first = all.first { families.insert(first) }
      names.formUnion(all.map { $0.lowercased() })
    }
    self.families = families.sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
    self.names = names
  }

  /// Returns whether a family is installed. Case is ignored, as in fontconfig.
  package func contains(_ family: String) -> Bool { names.contains(family.lowercased()) }
}
