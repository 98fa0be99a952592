import FoundationEssentials
import Model
import SystemSupport

/// What a plugin's `plugin.json` says. `Documentation/plugins.md` describes it.
package struct PluginManifest: Hashable, Sendable, Codable {
  /// The version of the protocol that this Diple speaks.
  package static let version = 1
  /// The name of the file.
  package static let fileName = "plugin.json"

  /// What a plugin can be.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A way to search.
    case search
    /// What a selection becomes.
    case highlight
    /// A way to find places again.
    case anchor
    /// A format that highlights are read from.
    case `import`
    /// A format that highlights are written as.
    case export
    /// A way to show a quote to others.
    case card
  }

  /// In what a plugin counts its places.
  package enum Unit: String, Hashable, Sendable, Codable {
    /// UTF-16 units, as Diple and JavaScript do.
    case utf16
    /// Unicode scalar values, as Python does.
    case codepoints
    /// Bytes of UTF-8, as programs of the shell do.
    case bytes
  }

  /// The version of the protocol that the plugin speaks.
  package var diple: Int
  /// The name by which it is chosen: small letters, digits and `-`.
  package var id: String
  /// What it is.
  package var kind: Kind
  /// One line that says what it does.
  package var summary: String
  /// The program and its words; a program with a `/` in its name lies in the plugin's folder.
  package var run: [String]
  /// In what it counts places.
  package var offsets: Unit
  /// How long one request may take, in seconds.
  package var seconds: Double
  /// How much memory it may use, in MiB of address space.
  package var megabytes: Int
  /// How much it may write for one request, in MiB.
  package var output: Int

  /// The most that a plugin may ask for.
  static let limits = (seconds: 60.0, megabytes: 4096, output: 256)

  /// Reads a manifest.
  ///
  /// - Throws: `PluginProblem` when it is none, or asks for what there is not.
  package init(json: [UInt8]) throws(PluginProblem) {
    do { self = try JSONDecoder().decode(Self.self, from: Data(json)) } catch {
      throw PluginProblem("its \(Self.fileName) cannot be read: \(Self.reason(error))")
    }
    try check()
  }

  private func check() throws(PluginProblem) {
    guard diple == Self.version else {
      throw PluginProblem(
        "it speaks version \(diple) of the protocol, and this Diple version \(Self.version)")
    }
    let isName = id.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-")
    }
    guard isName, !id.isEmpty, !id.hasPrefix("-"), id.utf8.count <= 64 else {
      throw PluginProblem("invalid id '\(id)': use a-z, 0-9 and -")
    }
    guard let program = run.first, !program.isEmpty else {
      throw PluginProblem("it does not name a program to run")
    }
    guard seconds > 0, seconds <= Self.limits.seconds,
      (1...Self.limits.megabytes).contains(megabytes), (1...Self.limits.output).contains(output)
    else {
      throw PluginProblem(
        "its limits are not within \(Int(Self.limits.seconds)) seconds, \(Self.limits.megabytes) "
          + "MiB of memory and \(Self.limits.output) MiB of output")
    }
  }

  private enum CodingKeys: String, CodingKey {
    case diple, id, kind, summary, run, offsets, seconds, megabytes, output
  }

  /// Reads the JSON; limits that it leaves out are ten seconds, 512 MiB and 16 MiB.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    diple = try values.decode(Int.self, forKey: .diple)
    id = try values.decode(String.self, forKey: .id)
    kind = try values.decode(Kind.self, forKey: .kind)
    summary = try values.decode(String.self, forKey: .summary)
    run = try values.decode([String].self, forKey: .run)
    offsets = try values.decodeIfPresent(Unit.self, forKey: .offsets) ?? .utf16
    seconds = try values.decodeIfPresent(Double.self, forKey: .seconds) ?? 10
    megabytes = try values.decodeIfPresent(Int.self, forKey: .megabytes) ?? 512
    output = try values.decodeIfPresent(Int.self, forKey: .output) ?? 16
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is not JSON" : "'\(context.codingPath[0].stringValue)' is not valid"
    default: "\(error)"
    }
  }
}

/// Why a plugin cannot be used: one line, without its name.
package struct PluginProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line.
  package var description: String
  /// Makes a problem of a line.
  package init(_ description: String) { self.description = description }
}
