// SPDX-License-Identifier: Apache-2.0

import CPlayhead

/// Checks and converts the arguments of functions in `playhead.h`.
///
/// - Errors: `CallFailure`, with the name and the range of the argument.
enum Argument {
    /// Reads a structure from the host.
    static func read<Structure>(
        _ pointer: UnsafePointer<Structure>?, _ name: String
    ) throws -> Structure {
        guard let pointer else { throw CallFailure.argument("\(name) must not be NULL") }
        try check(UnsafeRawPointer(pointer), MemoryLayout<Structure>.size, name)
        return pointer.pointee
    }

    /// Reads a structure that the host may omit.
    static func read<Structure>(
        _ pointer: UnsafePointer<Structure>?, _ name: String, else standard: Structure
    ) throws -> Structure {
        pointer == nil ? standard : try read(pointer, name)
    }

    /// Checks a structure to which the call will write, before the call has any effect.
    ///
    /// - Parameter size: The size of the first version of the structure, if later versions are
    ///   larger. Such a structure must be written with `fill`.
    static func out<Structure>(
        _ pointer: UnsafeMutablePointer<Structure>?, _ name: String, since size: Int? = nil
    ) throws -> UnsafeMutablePointer<Structure> {
        guard let pointer else { throw CallFailure.argument("\(name) must not be NULL") }
        try check(UnsafeRawPointer(pointer), size ?? MemoryLayout<Structure>.size, name)
        return pointer
    }

    /// Writes those fields of a structure that exist in the host's version of it. The size field is
    /// not changed.
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

    /// Copies bytes from the host's memory.
    static func bytes(_ pointer: UnsafeRawPointer?, _ size: Int) throws -> [UInt8] {
        guard let pointer else { throw CallFailure.argument("bytes must not be NULL") }
        guard size > 0, size < sizeLimit else {
            throw CallFailure.argument(
                "size must be between 1 and 2^47 bytes, not \(UInt(bitPattern: size))")
        }
        return [UInt8](UnsafeRawBufferPointer(start: pointer, count: size))
    }

    /// The limit for sizes in bytes. A greater size exceeds the address space: it is a negative
    /// number that was converted by mistake.
    static let sizeLimit = 1 << 47

    /// The limit for times: 36 years in nanoseconds. A few such times can be added without
    /// overflow.
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

    /// The maximum size of a structure in any version.
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
