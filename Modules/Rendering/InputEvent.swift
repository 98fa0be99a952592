/// What a person does at a terminal.
public enum InputEvent: Hashable, Sendable {
  /// A key with its modifiers.
  case key(Key, Modifiers = [])
  /// A text that was pasted.
  case paste(String)
  /// The mouse.
  case mouse(Mouse)

  /// A key.
  public enum Key: Hashable, Sendable {
    /// One that writes; with `control` the letter of the combination.
    case character(Character)
    /// The keys with a name.
    case enter, tab, escape, backspace, delete, up, down, left, right, home, end, pageUp, pageDown
    /// A function key, from 1.
    case function(Int)
  }

  /// What is held down with a key.
  public struct Modifiers: OptionSet, Hashable, Sendable {
    /// The bits, as in the parameters of xterm's sequences.
    public let rawValue: Int
    /// Takes bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Shift.
    public static let shift = Modifiers(rawValue: 1)
    /// Alt or Meta.
    public static let alt = Modifiers(rawValue: 2)
    /// Control.
    public static let control = Modifiers(rawValue: 4)
  }

  /// Something that the mouse did.
  public struct Mouse: Hashable, Sendable {
    /// What it did.
    public enum Action: Hashable, Sendable { case press, drag, release, wheelUp, wheelDown }
    /// A button.
    public enum Button: Hashable, Sendable { case left, middle, right }

    /// What it did.
    public var action: Action
    /// With which button.
    public var button: Button
    /// Where.
    public var position: Screen.Position

    /// Makes an event of its parts.
    public init(_ action: Action, _ button: Button = .left, at position: Screen.Position) {
      (self.action, self.button, self.position) = (action, button, position)
    }
  }
}
