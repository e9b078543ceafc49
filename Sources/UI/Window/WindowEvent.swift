// SPDX-License-Identifier: Apache-2.0

/// An event of a window, for its handler.
public enum WindowEvent: Sendable, Hashable {
    /// A key was pressed, is held, or was released.
    case key(KeyEvent)
    /// A character was typed, with the keyboard layout and dead keys applied. Text fields use it.
    case text(Unicode.Scalar)
    /// The pointer moved to a position, in screen coordinates from the window's upper left corner.
    case pointerMoved(WindowPoint)
    /// The pointer entered the window, or left it.
    case pointerEntered(Bool)
    /// A button of the pointer was pressed or released.
    case button(PointerButtonEvent)
    /// The wheel was turned, or two fingers were moved on a touchpad.
    case scrolled(ScrollEvent)
    /// Files or folders with these paths were dropped on the window.
    case dropped([String])
    /// The window's size in screen coordinates changed.
    case resized(WindowSize)
    /// The size of the framebuffer, in pixels, changed.
    case framebufferResized(WindowSize)
    /// The window was moved to a monitor with another scale, or the desktop's scale was changed.
    case contentScaleChanged(Double)
    /// The window's position on the desktop changed.
    case moved(WindowPoint)
    /// The contents were damaged and must be drawn again, even if nothing is playing.
    case refreshNeeded
    /// The window received the keyboard focus, or lost it.
    case focusChanged(Bool)
    /// The window was minimised, or restored.
    case iconifiedChanged(Bool)
    /// The window entered full screen, or left it.
    case fullscreenChanged(Bool)
    /// A monitor was plugged in or unplugged, whether or not the window was on it.
    case monitorsChanged
    /// The user asked to close the window. It stays open until `close()` is called.
    case closeRequested
}

/// A press, a repetition or a release of a key.
public struct KeyEvent: Sendable, Hashable {
    /// The kinds of key events.
    public enum Action: Sendable, Hashable {
        /// The key was pressed.
        case press
        /// The key is held and repeats.
        case `repeat`
        /// The key was released.
        case release
    }

    /// The key, identified by its position on the keyboard.
    public var key: Key
    /// The kind of the event.
    public var action: Action
    /// The modifier keys that are held.
    public var modifiers: KeyModifiers
    /// The character that the key types in the user's layout without modifiers; nil if it types
    /// none.
    public var name: String?
    /// The characters that shortcuts use for the key; nil if the layout has Latin letters.
    package var latin: LatinCharacters?

    /// Creates an event, for views that are shown by another toolkit, and for tests.
    public init(
        key: Key, action: Action, modifiers: KeyModifiers = [], name: String? = nil
    ) {
        self.init(key: key, action: action, modifiers: modifiers, name: name, latin: nil)
    }

    package init(
        key: Key, action: Action, modifiers: KeyModifiers = [], name: String? = nil,
        latin: LatinCharacters?
    ) {
        self.key = key
        self.action = action
        self.modifiers = modifiers
        self.name = name
        self.latin = latin
    }
}

/// A press or a release of a button of the pointer.
public struct PointerButtonEvent: Sendable, Hashable {
    /// The buttons of a pointer.
    public enum Button: Sendable, Hashable {
        /// A button that most pointers have.
        case left, right, middle
        /// A further button; the first has the number 4.
        case other(Int)
    }

    /// The button.
    public var button: Button
    /// A Boolean value that indicates whether the button was pressed; false if it was released.
    public var isPressed: Bool
    /// The position of the pointer, in screen coordinates from the window's upper left corner.
    public var position: WindowPoint
    /// The modifier keys that are held.
    public var modifiers: KeyModifiers
    /// The number of presses in quick succession at the same position: 2 for a double click.
    public var clickCount: Int

    package init(
        button: Button, isPressed: Bool, position: WindowPoint, modifiers: KeyModifiers = [],
        clickCount: Int = 1
    ) {
        self.button = button
        self.isPressed = isPressed
        self.position = position
        self.modifiers = modifiers
        self.clickCount = clickCount
    }
}

/// A turn of the wheel, or a movement of two fingers on a touchpad.
public struct ScrollEvent: Sendable, Hashable {
    /// The horizontal distance, in notches of a wheel; positive to the left.
    public var x: Double
    /// The vertical distance, in notches of a wheel; positive upwards.
    public var y: Double
    /// The position of the pointer, in screen coordinates from the window's upper left corner.
    public var position: WindowPoint

    package init(x: Double, y: Double, position: WindowPoint) {
        self.x = x
        self.y = y
        self.position = position
    }
}
