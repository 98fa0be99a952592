import FoundationEssentials
import Model
import SystemSupport

/// The contents of a plugin's `plugin.json`, described in `Documentation/plugins.md`.
package struct PluginManifest: Hashable, Sendable, Codable {
  /// The supported version of the protocol.
  package static let version = 1
  /// The file name.
  package static let fileName = "plugin.json"

  /// The strategy that a plugin provides.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case search
    /// Turns a selection into highlights.
    case highlight
    /// Finds highlights in a changed text.
    case anchor
    /// Imports highlights from a format.
    case `import`
    /// Exports highlights to a format.
    case export
    /// Renders a quote card.
    case card
  }

  /// The unit of a plugin's text offsets.
  package enum Unit: String, Hashable, Sendable, Codable {
    /// UTF-16 units, as in Diple and JavaScript.
    case utf16
    /// Unicode scalar values, as in Python.
    case codepoints
    /// UTF-8 bytes, as in shell tools.
    case bytes
  }

  /// The version of the protocol that the plugin uses.
  package var diple: Int
  /// The identifier in commands and settings: 1 to 64 lower-case letters, digits and hyphens.
  package var id: String
  package var kind: Kind
  /// The description in lists, one line.
  package var summary: String
  /// The program and its arguments. A relative path with a `/` is relative to the plugin's folder.
  package var run: [String]
  /// The unit of text offsets.
  package var offsets: Unit
  /// The maximum time for a request, in seconds.
  package var seconds: Double
  /// The maximum address space in MiB.
  package var megabytes: Int
  /// The maximum output for a request in MiB.
  package var output: Int
  /// Whether the program answers further requests, one line each, until its input ends.
  package var persistent: Bool

  /// The maximum values of the limits above.
  static let limits = (seconds: 60.0, megabytes: 4096, output: 256)

  /// Decodes and validates a manifest.
  ///
  /// - Throws: ``PluginError`` if it is invalid or a limit in it exceeds the maximum.
  package init(json: [UInt8]) throws(PluginError) {
    do { self = try JSONDecoder().decode(Self.self, from: Data(json)) } catch {
      throw PluginError("its \(Self.fileName) cannot be read: \(Self.reason(error))")
    }
    try check()
  }

  private func check() throws(PluginError) {
    guard diple == Self.version else {
      throw PluginError(
        "it speaks version \(diple) of the protocol, and this Diple version \(Self.version)")
    }
    let isName = id.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-")
    }
    guard isName, !id.isEmpty, !id.hasPrefix("-"), id.utf8.count <= 64 else {
      throw PluginError("invalid id '\(id)': use a-z, 0-9 and -")
    }
    guard let program = run.first, !program.isEmpty else {
      throw PluginError("it does not name a program to run")
    }
    guard seconds > 0, seconds <= Self.limits.seconds,
      (1...Self.limits.megabytes).contains(megabytes), (1...Self.limits.output).contains(output)
    else {
      throw PluginError(
        "its limits are not within \(Int(Self.limits.seconds)) seconds, \(Self.limits.megabytes) "
          + "MiB of memory and \(Self.limits.output) MiB of output")
    }
  }

  private enum CodingKeys: String, CodingKey {
    case diple, id, kind, summary, run, offsets, seconds, megabytes, output, persistent
  }

  /// Decodes the JSON. The default limits are ten seconds, 512 MiB of memory and 16 MiB of output.
  /// Throws a `DecodingError` for invalid JSON.
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
    persistent = try values.decodeIfPresent(Bool.self, forKey: .persistent) ?? false
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

/// The reason why a plugin can't be used, one line without the plugin's name.
package struct PluginError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error message.
  package var description: String
  /// Creates an error with a message, one line without a full stop.
  package init(_ description: String) { self.description = description }
}
