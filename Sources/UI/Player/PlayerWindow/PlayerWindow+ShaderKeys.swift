// SPDX-License-Identifier: Apache-2.0

import PlayheadEffects
import PlayheadWindow

/// Keyboard input for effects. The keys that effects read also keep their meaning in the player.
extension PlayerWindow {
    /// Passes a key to the effects.
    ///
    /// - Parameter isTyped: A Boolean value that indicates whether the key was typed into the
    ///   effect panel. Effects receive only the release of such a key.
    func passToShaders(_ event: WindowEvent, isTyped: Bool) {
        switch event {
        case .key(let key):
            guard key.action != .repeat, !isTyped || key.action == .release,
                let code = key.shaderCode
            else { return }
            for effect in effects { effect.setKey(code, isDown: key.action == .press) }
        case .focusChanged(false):
            for effect in effects { effect.releaseKeys() }
        default: break
        }
    }
}

extension KeyEvent {
    /// The code of the key in JavaScript's `KeyboardEvent.keyCode`, which Shadertoy's shaders use;
    /// nil if it has none.
    ///
    /// - Corresponds to: the fixed codes of W3C's UI Events, appendix B.
    var shaderCode: Int? {
        // Letters and digits have the code of the character that the layout prints.
        if let name, let code = name.uppercased().utf8.first, name.utf8.count == 1,
            (0x41...0x5A).contains(code) || (0x30...0x39).contains(code)
        {
            return Int(code)
        }
        if let code = Self.shaderCodes[key] { return code }
        let number = Int(key.rawValue)
        return (0x41...0x5A).contains(number) || (0x30...0x39).contains(number) ? number : nil
    }

    private static let shaderCodes: [Key: Int] = {
        var codes: [Key: Int] = [
            .backspace: 8, .tab: 9, .enter: 13, .keypadEnter: 13, .pause: 19, .escape: 27,
            .space: 32, .pageUp: 33, .pageDown: 34, .end: 35, .home: 36, .left: 37, .up: 38,
            .right: 39, .down: 40, .insert: 45, .delete: 46, .keypadMultiply: 106,
            .keypadAdd: 107, .keypadSubtract: 109, .keypadDecimal: 110, .keypadDivide: 111,
            .leftShift: 16, .rightShift: 16, .leftControl: 17, .rightControl: 17, .leftAlt: 18,
            .rightAlt: 18, .capsLock: 20, Key(";"): 186, Key("="): 187, Key(","): 188,
            Key("-"): 189, Key("."): 190, Key("/"): 191, Key("`"): 192, Key("["): 219,
            Key("\\"): 220, Key("]"): 221, Key("'"): 222,
        ]
        for digit in 0...9 { codes[.keypad(Int32(digit))] = 96 + digit }
        for number in 1...12 { codes[.function(Int32(number))] = 111 + number }
        return codes
    }()
}
