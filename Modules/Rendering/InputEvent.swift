/// What a person does at a terminal.
package enum InputEvent: Hashable, Sendable {
  /// A key with its modifiers.
  case key(Key, Modifiers = [])
  /// A text that was pasted.
  case paste(String)
  /// The mouse.
  case mouse(Mouse)
  /// The terminal's background, which it was asked for.
  case background(RGB)
  /// The terminal has answered all that it was asked before.
  case answered

  /// A key.
  package enum Key: Hashable, Sendable {
    /// One that writes; with `control` the letter of the combination.
    case character(Character)
    /// The keys with a name.
    case enter, tab, escape, backspace, delete, up, down, left, right, home, end, pageUp, pageDown
    /// A function key, from 1.
    case function(Int)
  }

  /// What is held down with a key.
  package struct Modifiers: OptionSet, Hashable, Sendable {
    /// The bits, as in the parameters of xterm's sequences.
    package let rawValue: Int
    /// Takes bits.
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// Shift.
    package static let shift = Modifiers(rawValue: 1)
    /// Alt or Meta.
    package static let alt = Modifiers(rawValue: 2)
    /// Control.
    package static let control = Modifiers(rawValue: 4)
  }

  /// Something that the mouse did.
  package struct Mouse: Hashable, Sendable {
    /// What it did.
    package enum Action: Hashable, Sendable { case press, drag, release, wheelUp, wheelDown }
    /// A button.
    package enum Button: Hashable, Sendable { case left, middle, right }

    /// What it did.
    package var action: Action
    /// With which button.
    package var button: Button
    /// Where.
    package var position: Screen.Position

    /// Makes an event of its parts.
    package init(_ action: Action, _ button: Button = .left, at position: Screen.Position) {
      (self.action, self.button, self.position) = (action, button, position)
    }
  }
}
