// SPDX-License-Identifier: Apache-2.0

import CPlayheadBus

/// A D-Bus message: a call, a reply or a signal.
///
/// - Concurrency: the bus's thread.
/// - Ownership: holds one reference to the sd-bus message.
/// - Corresponds to: `sd_bus_message`.
package struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Retains a message.
    init(_ pointer: OpaquePointer) {
        sd_bus_message_ref(pointer)
        self.pointer = pointer
    }

    deinit { sd_bus_message_unref(pointer) }

    package var interface: String { Self.text(sd_bus_message_get_interface(pointer)) }
    package var member: String { Self.text(sd_bus_message_get_member(pointer)) }
    /// The unique name of the connection that has sent the message.
    package var sender: String { Self.text(sd_bus_message_get_sender(pointer)) }
    package var path: String { Self.text(sd_bus_message_get_path(pointer)) }

    /// The error, for a reply that is one; nil for other messages.
    var error: BusError? {
        guard let error = sd_bus_message_get_error(pointer) else { return nil }
        return BusError(
            name: Self.text(error.pointee.name), text: Self.text(error.pointee.message))
    }

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
        case .uint64(let number): return appendBasic("t", number)
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
        case .array(let values):
            guard let first = values.first else { return false }
            return within("a", first.signature) { values.allSatisfy { append($0) } }
        case .structure(let values):
            return within("r", values.map(\.signature).joined()) {
                values.allSatisfy { append($0) }
            }
        case .file(let file): return appendBasic("h", file.descriptor)
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

    /// Reads the next value. Integers of 8 and 16 bits are read as 32 bits, a signature as text,
    /// and an entry of a dictionary whose keys are not texts as a structure.
    ///
    /// Returns nil at the end. Also returns nil for a file if too many are open; no value after it
    /// can be read.
    package func read() -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(pointer, &type, &contents) > 0 else { return nil }
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "b"): return readBasic(type, Int32(0)).map { .flag($0 != 0) }
        case UInt8(ascii: "i"): return readBasic(type, Int32(0)).map { .int32($0) }
        case UInt8(ascii: "u"): return readBasic(type, UInt32(0)).map { .uint32($0) }
        case UInt8(ascii: "y"): return readBasic(type, UInt8(0)).map { .uint32(UInt32($0)) }
        case UInt8(ascii: "n"): return readBasic(type, Int16(0)).map { .int32(Int32($0)) }
        case UInt8(ascii: "q"): return readBasic(type, UInt16(0)).map { .uint32(UInt32($0)) }
        case UInt8(ascii: "x"): return readBasic(type, Int64(0)).map { .int64($0) }
        case UInt8(ascii: "t"): return readBasic(type, UInt64(0)).map { .uint64($0) }
        case UInt8(ascii: "d"): return readBasic(type, Double(0)).map { .double($0) }
        case UInt8(ascii: "s"), UInt8(ascii: "g"): return readText(type).map { .text($0) }
        case UInt8(ascii: "o"): return readText(type).map { .path($0) }
        case UInt8(ascii: "v"):
            return readWithin(type, contents) { read().map { .variant($0) } }
        case UInt8(ascii: "r"), UInt8(ascii: "e"):
            return readWithin(type, contents) { .structure(readAll()) }
        case UInt8(ascii: "a"): return readArray(type, contents)
        case UInt8(ascii: "h"):
            // The message closes its own descriptor.
            guard let descriptor = readBasic(type, Int32(-1)) else { return nil }
            let own = BusFile.duplicate(descriptor)
            return own >= 0 ? .file(BusFile(owning: own)) : nil
        default: return nil
        }
    }

    /// Reads the values up to the end of the message or the container.
    package func readAll() -> [BusValue] {
        var values: [BusValue] = []
        while let value = read() { values.append(value) }
        return values
    }

    /// Reads an array: a dictionary if its keys are texts.
    private func readArray(_ type: CChar, _ contents: UnsafePointer<CChar>?) -> BusValue? {
        let isDictionary = contents.map { String(cString: $0).hasPrefix("{s") } ?? false
        return readWithin(type, contents) {
            guard isDictionary else { return .array(readAll()) }
            var entries: [String: BusValue] = [:]
            var inner: CChar = 0
            var pair: UnsafePointer<CChar>?
            while sd_bus_message_peek_type(pointer, &inner, &pair) > 0 {
                let isRead: Bool? = readWithin(inner, pair) {
                    guard let key = read()?.words, let value = read() else { return nil }
                    entries[key] = value
                    return true
                }
                guard isRead == true else { return nil }
            }
            return .dictionary(entries)
        }
    }

    private func readWithin<Value>(
        _ type: CChar, _ contents: UnsafePointer<CChar>?, _ body: () -> Value?
    ) -> Value? {
        guard sd_bus_message_enter_container(pointer, type, contents) > 0, let value = body(),
            sd_bus_message_exit_container(pointer) >= 0
        else { return nil }
        return value
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
