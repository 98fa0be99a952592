import SystemSupport

/// The fonts that are installed on this machine according to fontconfig.
enum InstalledFonts {
  /// The maximum size of the list in bytes.
  private static let limit = 4 << 20

  /// Returns the names of the font families, sorted and without duplicates.
  ///
  /// - Throws: ``UserError`` with the code `notFound` if fontconfig isn't installed, `plugin` if it
  ///   fails.
  static func families(_ environment: [String: String]) async throws(UserError) -> [String] {
    let bytes: [UInt8]
    do throws(CapturedProgram.Failure) {
      bytes = try await CapturedProgram.output(
        of: "fc-list", ["--format", "%{family[0]}\n"], environment: environment, limit: limit)
    } catch {
      throw error.wasStarted
        ? UserError(.plugin, "fc-list failed: \(error.description)")
        : UserError(
          .notFound, "fontconfig is not installed", hint: "apt install fontconfig")
    }
    let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    return Set(names).sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
  }
}
