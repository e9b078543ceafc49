// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

extension Window {
    /// Registers callbacks with GLFW. They run on the main thread, while `MainLoop` polls for
    /// events.
    func installCallbacks() {
        installKeyboardCallbacks()
        installPointerCallbacks()
        installStateCallbacks()
    }

    /// Passes an event of the window `handle` to the window's handler.
    private nonisolated static func send(
        _ handle: OpaquePointer?, _ event: @MainActor (Window) -> WindowEvent?
    ) {
        // GLFW calls callbacks on the main thread, so the handle stays on that thread.
        nonisolated(unsafe) let handle = handle
        MainActor.assumeIsolated {
            guard let window = withHandle(handle), let event = event(window) else { return }
            window.eventHandler?(event)
        }
    }

    private func installKeyboardCallbacks() {
        glfwSetKeyCallback(handle) { handle, key, scancode, action, modifiers in
            Window.send(handle) { window in
                let name = glfwGetKeyName(key, scancode).map { String(cString: $0) }
                let latin = name == nil ? nil : window.latinCharacters(Key(rawValue: key), scancode)
                let actions: [Int32: KeyEvent.Action] = [
                    GLFW_PRESS: .press, GLFW_REPEAT: .repeat, GLFW_RELEASE: .release,
                ]
                return actions[action].map {
                    .key(
                        KeyEvent(
                            key: Key(rawValue: key), action: $0,
                            modifiers: KeyModifiers(rawValue: modifiers), name: name,
                            latin: latin))
                }
            }
        }
        glfwSetCharCallback(handle) { handle, codepoint in
            Window.send(handle) { _ in Unicode.Scalar(codepoint).map { .text($0) } }
        }
    }

    /// Returns the Latin characters of a key; nil if the user's layout has Latin letters.
    private func latinCharacters(_ key: Key, _ scancode: Int32) -> LatinCharacters? {
        let letter = glfwGetKeyName(GLFW_KEY_A, 0).map { String(cString: $0) }
        guard let scalar = letter?.unicodeScalars.first, !scalar.isLatin else { return nil }
        let isX11 = ph_x11_window(handle) != 0
        let characters =
            isX11
            ? X11Keyboard.latinCharacters(
                scancode: scancode, letterScancode: glfwGetKeyScancode(GLFW_KEY_A)) : nil
        return characters ?? LatinCharacters(usKey: key)
    }

    private func installPointerCallbacks() {
        glfwSetCursorPosCallback(handle) { handle, x, y in
            Window.send(handle) { window in
                window.reportedPointer = WindowPoint(x: x, y: y)
                return .pointerMoved(WindowPoint(x: x, y: y))
            }
        }
        glfwSetCursorEnterCallback(handle) { handle, isInside in
            Window.send(handle) { _ in .pointerEntered(isInside == GLFW_TRUE) }
        }
        glfwSetMouseButtonCallback(handle) { handle, button, action, modifiers in
            Window.send(handle) { window in
                let button = PointerButtonEvent.Button(button)
                let position = window.reportedPointer ?? window.pointerPosition
                let isPressed = action == GLFW_PRESS
                let count = window.clicks.count(button, isPressed: isPressed, at: position)
                return .button(
                    PointerButtonEvent(
                        button: button, isPressed: isPressed, position: position,
                        modifiers: KeyModifiers(rawValue: modifiers), clickCount: count))
            }
        }
        glfwSetScrollCallback(handle) { handle, x, y in
            Window.send(handle) { window in
                let position = window.reportedPointer ?? window.pointerPosition
                return .scrolled(ScrollEvent(x: x, y: y, position: position))
            }
        }
        glfwSetDropCallback(handle) { handle, count, paths in
            let names = (0..<Int(count)).compactMap { paths?[$0].map { String(cString: $0) } }
            Window.send(handle) { _ in .dropped(names) }
        }
    }

    private func installStateCallbacks() {
        glfwSetWindowSizeCallback(handle) { handle, width, height in
            Window.send(handle) { _ in
                .resized(WindowSize(width: Int(width), height: Int(height)))
            }
        }
        glfwSetFramebufferSizeCallback(handle) { handle, width, height in
            Window.send(handle) { window in
                window.publishSizes()
                return .framebufferResized(WindowSize(width: Int(width), height: Int(height)))
            }
        }
        glfwSetWindowContentScaleCallback(handle) { handle, horizontal, _ in
            Window.send(handle) { window in
                window.publishSizes()
                return .contentScaleChanged(Double(horizontal))
            }
        }
        glfwSetWindowPosCallback(handle) { handle, x, y in
            Window.send(handle) { window in
                window.followMonitor()
                return .moved(WindowPoint(x: Double(x), y: Double(y)))
            }
        }
        glfwSetWindowRefreshCallback(handle) { handle in
            Window.send(handle) { _ in .refreshNeeded }
        }
        glfwSetWindowFocusCallback(handle) { handle, isFocused in
            Window.send(handle) { _ in .focusChanged(isFocused == GLFW_TRUE) }
        }
        glfwSetWindowIconifyCallback(handle) { handle, isIconified in
            Window.send(handle) { _ in .iconifiedChanged(isIconified == GLFW_TRUE) }
        }
        glfwSetWindowCloseCallback(handle) { handle in
            // The handler decides whether to close the window, so GLFW's flag is cleared.
            glfwSetWindowShouldClose(handle, GLFW_FALSE)
            Window.send(handle) { _ in .closeRequested }
        }
    }

    /// The position of the pointer, in screen coordinates from the window's upper left corner.
    public var pointerPosition: WindowPoint {
        var (x, y) = (0.0, 0.0)
        glfwGetCursorPos(handle, &x, &y)
        return WindowPoint(x: x, y: y)
    }
}

extension PointerButtonEvent.Button {
    fileprivate init(_ button: Int32) {
        switch button {
        case GLFW_MOUSE_BUTTON_LEFT: self = .left
        case GLFW_MOUSE_BUTTON_RIGHT: self = .right
        case GLFW_MOUSE_BUTTON_MIDDLE: self = .middle
        default: self = .other(Int(button) + 1)
        }
    }
}
