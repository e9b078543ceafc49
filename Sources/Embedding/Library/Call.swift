// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Glibc

/// What every function of the interface goes through: handles become objects, what is thrown becomes
/// a status and a sentence.
enum Call {
    /// Runs what a function does, and says what it came to.
    static func run(_ body: () throws -> Int) -> playhead_status {
        do {
            guard !Callback.isRunning else {
                throw CallFailure(
                    PLAYHEAD_WRONG_THREAD,
                    "called from a callback of the library; set a flag there, and call from a "
                        + "thread of the host")
            }
            return playhead_status(try body())
        } catch {
            let failure = CallFailure(error)
            LastError.set(failure.text)
            return failure.status
        }
    }

    static func player(
        _ handle: OpaquePointer?, _ body: (HostedPlayer) throws -> Int
    ) -> playhead_status {
        run {
            let player = HandleTable.shared.object(handle, .player, as: HostedPlayer.self)
            guard let player else { throw stale(handle, "player") }
            return try withExtendedLifetime(player) { try body(player) }
        }
    }

    static func effect(
        _ handle: OpaquePointer?, _ body: (HostedEffect) throws -> Int
    ) -> playhead_status {
        run {
            let effect = HandleTable.shared.object(handle, .effect, as: HostedEffect.self)
            guard let effect else { throw stale(handle, "effect") }
            return try withExtendedLifetime(effect) { try body(effect) }
        }
    }

    static func stale(_ handle: OpaquePointer?, _ noun: String) -> CallFailure {
        CallFailure(
            PLAYHEAD_INVALID_HANDLE,
            handle == nil
                ? "the \(noun) handle must not be NULL"
                : "not a valid \(noun) handle, or the \(noun) was destroyed")
    }

    // MARK: Arguments

    /// A structure that the host has filled.
    static func read<Structure>(
        _ pointer: UnsafePointer<Structure>?, _ name: String
    ) throws -> Structure {
        guard let pointer else { throw CallFailure.argument("\(name) must not be NULL") }
        try check(UnsafeRawPointer(pointer), MemoryLayout<Structure>.size, name)
        return pointer.pointee
    }

    /// A structure that the host may have left out.
    static func read<Structure>(
        _ pointer: UnsafePointer<Structure>?, _ name: String, else standard: Structure
    ) throws -> Structure {
        pointer == nil ? standard : try read(pointer, name)
    }

    /// A structure to be filled: has been looked at before anything is done.
    ///
    /// - Parameter size: that of its first version, if that is not the present one. Then it is to be filled
    ///   by `fill`.
    static func out<Structure>(
        _ pointer: UnsafeMutablePointer<Structure>?, _ name: String, since size: Int? = nil
    ) throws -> UnsafeMutablePointer<Structure> {
        guard let pointer else { throw CallFailure.argument("\(name) must not be NULL") }
        try check(UnsafeRawPointer(pointer), size ?? MemoryLayout<Structure>.size, name)
        return pointer
    }

    /// Fills a structure as far as the host's goes, which may have been built when it was shorter. Its size
    /// stays.
    static func fill<Structure: BitwiseCopyable>(
        _ pointer: UnsafeMutablePointer<Structure>, with value: Structure
    ) {
        let bytes = UnsafeMutableRawPointer(pointer)
        let size = min(Int(bytes.load(as: UInt32.self)), MemoryLayout<Structure>.size)
        withUnsafeBytes(of: value) { value in
            let rest = UnsafeRawBufferPointer(rebasing: value[MemoryLayout<UInt32>.size..<size])
            guard let base = rest.baseAddress else { return }
            (bytes + MemoryLayout<UInt32>.size).copyMemory(
                from: base, byteCount: rest.count)
        }
    }

    static func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
        guard let pointer else { throw CallFailure.argument("\(name) must not be NULL") }
        return String(cString: pointer)
    }

    /// A copy of what a host has in memory.
    static func bytes(_ pointer: UnsafeRawPointer?, _ size: Int) throws -> [UInt8] {
        guard let pointer else { throw CallFailure.argument("bytes must not be NULL") }
        guard size > 0, size < sizeLimit else {
            throw CallFailure.argument(
                "size must be between 1 and 2^47 bytes, not \(UInt(bitPattern: size))")
        }
        return [UInt8](UnsafeRawBufferPointer(start: pointer, count: size))
    }

    /// Larger than any address space: a negative number, most likely.
    static let sizeLimit = 1 << 47

    /// 36 years in nanoseconds: times within can be added and subtracted a few times over.
    static let farthestTime: Int64 = 1 << 60

    static func time(_ value: Int64, _ name: String) throws -> Int64 {
        guard value >= -farthestTime, value <= farthestTime else {
            throw CallFailure.argument(
                value == noTime
                    ? "\(name) must be a time, not PLAYHEAD_NO_TIME"
                    : "\(name) must be between -2^60 and 2^60 ns, not \(value)")
        }
        return value
    }

    /// Larger structures than any version will have are none.
    private static let largestStructure = 4096

    private static func check(_ pointer: UnsafeRawPointer, _ size: Int, _ name: String) throws {
        let stated = Int(pointer.loadUnaligned(as: UInt32.self))
        guard stated >= size, stated <= largestStructure else {
            throw CallFailure.argument(
                "\(name).struct_size must be \(size) to \(largestStructure), not \(stated); "
                    + "set it to "
                    + "sizeof the structure")
        }
    }
}

/// Marks the threads that are in a callback of the host's, from where nothing may be called.
enum Callback {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "pthread_key_create failed with \(status)")
        return key
    }()

    static var isRunning: Bool { pthread_getspecific(key) != nil }

    static func run<Result>(_ body: () -> Result) -> Result {
        let outer = pthread_getspecific(key)
        // Any address marks it.
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, outer) }
        return body()
    }
}
