/// What removes the cause of an error, for front-ends that can offer it themselves.
package enum Remedy: Hashable, Sendable {
  /// A member of an action's request.
  package enum Member: Hashable, Sendable, Encodable {
    case text(String)
    case list([String])

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .list(let texts): try container.encode(texts)
      }
    }
  }

  /// An action by its name, with its request.
  case action(String, [String: Member])
  /// A setting by its key, such as `sync.folder`.
  case setting(String)
}
