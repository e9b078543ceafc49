// SPDX-License-Identifier: Apache-2.0

import CPlayheadBus

/// A D-Bus message: a call, a reply or a signal.
///
/// - Concurrency: the bus's thread.
/// - Ownership: holds one reference to the sd-bus message.
/// - Corresponds to: `sd_bus_message`.
struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Retains a message.
    init(_ pointer: OpaquePointer) {
        sd_bus_message_ref(pointer)
        self.pointer = pointer
    }

    deinit { sd_bus_message_unref(pointer) }

    var interface: String { Self.text(sd_bus_message_get_interface(pointer)) }
    var member: String { Self.text(sd_bus_message_get_member(pointer)) }
    var path: String { Self.text(sd_bus_message_get_path(pointer)) }
    var isError: Bool { sd_bus_message_is_method_error(pointer, nil) > 0 }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    // MARK: Writing

    /// Appends a value. Returns false if that fails, for example because a path is invalid.
    @discardableResult
    func append(_ value: BusValue) -> Bool {
        switch value {
        case .flag(let flag):
            // A D-Bus Boolean is an int in C.
            return appendBasic("b", Int32(flag ? 1 : 0))
        case .int32(let number): return appendBasic("i", number)
        case .uint32(let number): return appendBasic("u", number)
        case .int64(let number): return appendBasic("x", number)
        case .double(let number): return appendBasic("d", number)
        case .text(let text):
            return ph_bus_append_text(pointer, Self.type("s"), Self.clean(text)) >= 0
        case .path(let path): return ph_bus_append_text(pointer, Self.type("o"), path) >= 0
        case .texts(let texts):
            return within("a", "s") { texts.allSatisfy { append(.text($0)) } }
        case .dictionary(let entries):
            return within("a", "{sv}") {
                entries.sorted { $0.key < $1.key }.allSatisfy { key, value in
                    within("e", "sv") { append(.text(key)) && append(.variant(value)) }
                }
            }
        case .variant(let value):
            return within("v", value.signature) { append(value) }
        }
    }

    /// Removes NUL bytes, which sd-bus refuses.
    private static func clean(_ text: String) -> String {
        text.utf8.contains(0) ? String(text.filter { $0 != "\0" }) : text
    }

    private func appendBasic<Value: BitwiseCopyable>(_ type: Character, _ value: Value) -> Bool {
        withUnsafeBytes(of: value) {
            sd_bus_message_append_basic(pointer, Self.type(type), $0.baseAddress) >= 0
        }
    }

    private func within(_ kind: Character, _ contents: String, _ body: () -> Bool) -> Bool {
        guard sd_bus_message_open_container(pointer, Self.type(kind), contents) >= 0 else {
            return false
        }
        let isComplete = body()
        return sd_bus_message_close_container(pointer) >= 0 && isComplete
    }

    private static func type(_ character: Character) -> CChar {
        CChar(bitPattern: character.asciiValue ?? 0)
    }

    // MARK: Reading

    /// Reads the next value. Returns nil at the end. Also returns nil for a value of an unsupported
    /// type; no value after it can be read.
    func read() -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(pointer, &type, &contents) > 0 else { return nil }
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "b"): return readBasic(type, Int32(0)).map { .flag($0 != 0) }
        case UInt8(ascii: "i"): return readBasic(type, Int32(0)).map { .int32($0) }
        case UInt8(ascii: "u"): return readBasic(type, UInt32(0)).map { .uint32($0) }
        case UInt8(ascii: "x"): return readBasic(type, Int64(0)).map { .int64($0) }
        case UInt8(ascii: "d"): return readBasic(type, Double(0)).map { .double($0) }
        case UInt8(ascii: "s"): return readText(type).map { .text($0) }
        case UInt8(ascii: "o"): return readText(type).map { .path($0) }
        case UInt8(ascii: "v"):
            guard sd_bus_message_enter_container(pointer, type, contents) > 0 else { return nil }
            let value = read()
            guard value != nil, sd_bus_message_exit_container(pointer) >= 0 else { return nil }
            return value.map { .variant($0) }
        default: return nil
        }
    }

    private func readBasic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) -> Value? {
        var value = zero
        return sd_bus_message_read_basic(pointer, type, &value) > 0 ? value : nil
    }

    private func readText(_ type: CChar) -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(pointer, type, &text) > 0 else { return nil }
        return text.map { String(cString: $0) }
    }
}
