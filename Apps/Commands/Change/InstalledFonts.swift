import SystemSupport

/// The fonts that fontconfig knows here.
enum InstalledFonts {
  /// The most that is read of the list, in bytes.
  private static let limit = 4 << 20

  /// The names of the families, sorted, each once.
  ///
  /// - Throws: `notFound` where fontconfig is not installed, `plugin` where it fails.
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
