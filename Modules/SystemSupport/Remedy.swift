/// An action or a setting that removes the cause of an error. Each front-end presents it in its own
/// way: a shell as a command, a page as a button.
package enum Remedy: Hashable, Sendable {
  /// A member of an action's request.
  package enum Member: Hashable, Sendable, Encodable {
    case text(String)
    case list([String])
    case flag(Bool)

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .list(let texts): try container.encode(texts)
      case .flag(let flag): try container.encode(flag)
      }
    }
  }

  /// An action by its name, with its request.
  case action(String, [String: Member])
  /// A setting by its key, such as `library.outside`.
  case setting(String)
}
