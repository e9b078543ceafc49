// SPDX-License-Identifier: Apache-2.0

/// What a window tells its handler.
public enum WindowEvent: Sendable, Hashable {
    case key(KeyEvent)
    /// A character was typed, after keyboard layout and dead keys: for text fields.
    case text(Unicode.Scalar)
    case pointerMoved(WindowPoint)
    /// The pointer came in, or went out.
    case pointerEntered(Bool)
    case button(PointerButtonEvent)
    case scrolled(ScrollEvent)
    /// Files or folders were dropped: their paths.
    case dropped([String])
    /// The window's size in screen coordinates changed.
    case resized(WindowSize)
    /// The size to draw in, in pixels, changed.
    case framebufferResized(WindowSize)
    /// The window was moved to another monitor, or the desktop's scale was set anew.
    case contentScaleChanged(Double)
    case moved(WindowPoint)
    /// The contents were damaged and have to be drawn again, also while nothing plays.
    case refreshNeeded
    case focusChanged(Bool)
    case iconifiedChanged(Bool)
    case fullscreenChanged(Bool)
    /// A monitor was plugged in or unplugged, whether or not the window was on it.
    case monitorsChanged
    /// The user wants the window closed. It stays open until `close()` is called.
    case closeRequested
}

/// A key went down, stays down, or went up.
public struct KeyEvent: Sendable, Hashable {
    /// What became of a key.
    public enum Action: Sendable, Hashable {
        case press
        /// The key is held, and repeats.
        case `repeat`
        case release
    }

    /// Which one, by its place on the keyboard.
    public var key: Key
    /// Whether it was pressed, is held, or was let go.
    public var action: Action
    /// What was held with it.
    public var modifiers: KeyModifiers
    /// What the key prints in the user's layout, without modifiers; nil if it prints nothing.
    public var name: String?
    /// The characters that shortcuts know the key by; nil where the layout prints Latin letters
    /// itself.
    package var latin: LatinCharacters?

    package init(
        key: Key, action: Action, modifiers: KeyModifiers = [], name: String? = nil,
        latin: LatinCharacters? = nil
    ) {
        self.key = key
        self.action = action
        self.modifiers = modifiers
        self.name = name
        self.latin = latin
    }
}

/// A button of the pointer went down or up.
public struct PointerButtonEvent: Sendable, Hashable {
    /// Which of a pointer's buttons.
    public enum Button: Sendable, Hashable {
        case left, right, middle
        /// Further buttons, from 4.
        case other(Int)
    }

    /// Which one.
    public var button: Button
    /// Whether it was pressed, or let go.
    public var isPressed: Bool
    /// In screen coordinates from the window's top left.
    public var position: WindowPoint
    public var modifiers: KeyModifiers
    /// Which press in quick succession at one place this is: 2 for a double click.
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

/// The wheel was turned, or two fingers moved.
public struct ScrollEvent: Sendable, Hashable {
    /// In notches of a wheel, or fractions of them; up and left are positive.
    public var x: Double
    public var y: Double
    /// Where the pointer was, in screen coordinates from the window's top left.
    public var position: WindowPoint

    package init(x: Double, y: Double, position: WindowPoint) {
        self.x = x
        self.y = y
        self.position = position
    }
}
