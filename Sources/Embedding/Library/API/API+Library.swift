// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadEffects
import PlayheadShaders

// The functions of playhead.h, where they are documented. The compiler checks that each matches its
// declaration there.

@c @implementation
public func playhead_abi_version() -> UInt32 { UInt32(PLAYHEAD_ABI_VERSION) }

@c @implementation
public func playhead_version() -> UnsafePointer<CChar>? { Names.version.pointer }

@c @implementation
public func playhead_status_name(_ status: playhead_status) -> UnsafePointer<CChar>? {
    (Names.statuses[Int(status)] ?? "unknown").pointer
}

@c @implementation
public func playhead_last_error() -> UnsafePointer<CChar>? { LastError.text }

@c @implementation
public func playhead_set_log(
    _ log: playhead_log?, _ user: UnsafeMutableRawPointer?, _ level: playhead_log_level
) -> playhead_status {
    Call.run {
        guard (PLAYHEAD_LOG_ERROR...PLAYHEAD_LOG_WARNING).contains(Int(level)) else {
            throw CallFailure.argument("level must be 0 or 1, not \(level)")
        }
        HostLog.set(log, user: user, level: level)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_library_count() -> UInt32 { UInt32(Names.effects.count) }

@c @implementation
public func playhead_effect_library_name(_ index: UInt32) -> UnsafePointer<CChar>? {
    index < Names.effects.count ? UnsafePointer(Names.effects[Int(index)]) : nil
}

/// Strings that are valid for the lifetime of the process.
enum Names {
    static let version: StaticString = "0.1.0"

    static let statuses: [Int: StaticString] = [
        PLAYHEAD_OK: "PLAYHEAD_OK", PLAYHEAD_EMPTY: "PLAYHEAD_EMPTY",
        PLAYHEAD_INVALID_ARGUMENT: "PLAYHEAD_INVALID_ARGUMENT",
        PLAYHEAD_INVALID_HANDLE: "PLAYHEAD_INVALID_HANDLE",
        PLAYHEAD_WRONG_THREAD: "PLAYHEAD_WRONG_THREAD",
        PLAYHEAD_WRONG_STATE: "PLAYHEAD_WRONG_STATE",
        PLAYHEAD_UNSUPPORTED: "PLAYHEAD_UNSUPPORTED",
        PLAYHEAD_OUT_OF_RESOURCES: "PLAYHEAD_OUT_OF_RESOURCES",
        PLAYHEAD_NOT_FOUND: "PLAYHEAD_NOT_FOUND",
        PLAYHEAD_CANNOT_OPEN: "PLAYHEAD_CANNOT_OPEN",
        PLAYHEAD_UNKNOWN_FORMAT: "PLAYHEAD_UNKNOWN_FORMAT",
        PLAYHEAD_DAMAGED: "PLAYHEAD_DAMAGED",
        PLAYHEAD_NO_PLAYABLE_TRACKS: "PLAYHEAD_NO_PLAYABLE_TRACKS",
        PLAYHEAD_UNSUPPORTED_CODEC: "PLAYHEAD_UNSUPPORTED_CODEC",
        PLAYHEAD_DECODING_FAILED: "PLAYHEAD_DECODING_FAILED",
        PLAYHEAD_LIMIT_EXCEEDED: "PLAYHEAD_LIMIT_EXCEEDED",
        PLAYHEAD_NOT_ALLOWED: "PLAYHEAD_NOT_ALLOWED",
        PLAYHEAD_CANCELLED: "PLAYHEAD_CANCELLED", PLAYHEAD_TIMED_OUT: "PLAYHEAD_TIMED_OUT",
        PLAYHEAD_NO_SUCH_FRAME: "PLAYHEAD_NO_SUCH_FRAME",
        PLAYHEAD_NO_CONTEXT: "PLAYHEAD_NO_CONTEXT",
        PLAYHEAD_GL_UNSUPPORTED: "PLAYHEAD_GL_UNSUPPORTED",
        PLAYHEAD_GL_FAILED: "PLAYHEAD_GL_FAILED",
        PLAYHEAD_CONTEXT_LOST: "PLAYHEAD_CONTEXT_LOST",
        PLAYHEAD_EFFECT_UNREADABLE: "PLAYHEAD_EFFECT_UNREADABLE",
        PLAYHEAD_EFFECT_MALFORMED: "PLAYHEAD_EFFECT_MALFORMED",
        PLAYHEAD_EFFECT_NOT_COMPILED: "PLAYHEAD_EFFECT_NOT_COMPILED",
        PLAYHEAD_EFFECT_WRONG_VALUE: "PLAYHEAD_EFFECT_WRONG_VALUE",
        PLAYHEAD_NO_AUDIO_DEVICE: "PLAYHEAD_NO_AUDIO_DEVICE",
        PLAYHEAD_CANNOT_WRITE: "PLAYHEAD_CANNOT_WRITE",
        PLAYHEAD_DISK_FULL: "PLAYHEAD_DISK_FULL", PLAYHEAD_FILE_EXISTS: "PLAYHEAD_FILE_EXISTS",
    ]

    /// The names of the built-in effects. They are created once and never freed.
    nonisolated(unsafe) static let effects: [UnsafeMutablePointer<CChar>] =
        EffectLibrary.builtInNames.map { copy(of: $0) }

    /// GLSL functions for use in the host's shaders. They are created once and never freed.
    nonisolated(unsafe) static let sampling = copy(of: ShaderLibrary.text("sampling.glsl"))

    private static func copy(of text: String) -> UnsafeMutablePointer<CChar> {
        let count = text.utf8.count + 1
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count)
        text.copy(to: UnsafeMutableRawBufferPointer(start: copy, count: count))
        return copy
    }
}

extension StaticString {
    /// The literal as a C string. String literals end with a zero byte.
    var pointer: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
