// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// libmpv, another program's player, as a reference for ours. It is loaded at run time by its
/// public C interface (client.h), so that nothing here is built with it or linked to it.
///
/// - Concurrency: one thread at a time.
final class MPVLibrary {
    private typealias Create = @convention(c) () -> OpaquePointer?
    private typealias Handle = @convention(c) (OpaquePointer) -> Int32
    private typealias Destroy = @convention(c) (OpaquePointer) -> Void
    private typealias SetOption =
        @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    private typealias Command =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
    private typealias WaitEvent = @convention(c) (OpaquePointer, Double) -> UnsafePointer<Int32>?
    private typealias GetProperty =
        @convention(c) (OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutableRawPointer) ->
        Int32

    /// `mpv_event_id` and `mpv_format` of client.h.
    private enum Event {
        static let shutdown: Int32 = 1
        static let endFile: Int32 = 7
        static let seek: Int32 = 20
        static let playbackRestart: Int32 = 21
    }
    private static let doubleFormat: Int32 = 5

    private let library: UnsafeMutableRawPointer
    private let handle: OpaquePointer
    private static let deadline = 60.0

    /// Opens a video with the library, paused at its first frame. Frames are discarded, so that
    /// nothing is converted or shown: the time until one is available is decoding alone.
    init(film: String) throws {
        guard let library = dlopen("libmpv.so.2", RTLD_NOW) ?? dlopen("libmpv.so.1", RTLD_NOW)
        else { throw CannotProve("libmpv is missing; apt-get install libmpv2") }
        self.library = library
        // libmpv refuses to work with a locale that has a decimal comma.
        setlocale(LC_NUMERIC, "C")
        guard let handle = Self.symbol("mpv_create", in: library, as: Create.self)() else {
            throw CannotProve("libmpv does not start")
        }
        self.handle = handle
        let set = Self.symbol("mpv_set_option_string", in: library, as: SetOption.self)
        for (name, value) in [
            ("config", "no"), ("terminal", "no"), ("load-scripts", "no"), ("ytdl", "no"),
            ("vo", "null"), ("audio", "no"), ("hwdec", "no"), ("pause", "yes"),
            ("keep-open", "yes"), ("idle", "yes"),
        ] {
            _ = set(handle, name, value)
        }
        guard Self.symbol("mpv_initialize", in: library, as: Handle.self)(handle) >= 0 else {
            throw CannotProve("libmpv does not start")
        }
        try command("loadfile", film)
        try wait(for: Event.playbackRestart)
    }

    deinit {
        // The library stays loaded: its dependencies have registered callbacks with FFmpeg, which
        // we share.
        Self.symbol("mpv_terminate_destroy", in: library, as: Destroy.self)(handle)
    }

    /// Seeks exactly and waits until the frame is available; returns the frame's time.
    func seek(to seconds: Double) throws -> Double {
        try command("seek", "\(seconds)", "absolute+exact")
        try wait(for: Event.seek)
        try wait(for: Event.playbackRestart)
        var position = Double.nan
        _ = Self.symbol("mpv_get_property", in: library, as: GetProperty.self)(
            handle, "time-pos", Self.doubleFormat, &position)
        return position
    }

    private func command(_ words: String...) throws {
        let strings = words.map { strdup($0) }
        defer { for string in strings { free(string) } }
        var arguments = strings.map { UnsafePointer<CChar>($0) } + [nil]
        guard Self.symbol("mpv_command", in: library, as: Command.self)(handle, &arguments) >= 0
        else { throw CannotProve("libmpv fails to execute \(words)") }
    }

    private func wait(for event: Int32) throws {
        let next = Self.symbol("mpv_wait_event", in: library, as: WaitEvent.self)
        let end = ProcessInfo.processInfo.systemUptime + Self.deadline
        while ProcessInfo.processInfo.systemUptime < end {
            let identifier = next(handle, 1)?.pointee
            if identifier == event { return }
            if identifier == Event.shutdown || identifier == Event.endFile { break }
        }
        throw CannotProve("libmpv does not play the video")
    }

    private static func symbol<Function>(
        _ name: String, in library: UnsafeMutableRawPointer, as type: Function.Type
    ) -> Function {
        guard let address = dlsym(library, name) else {
            preconditionFailure("libmpv has no \(name), which its interface declares")
        }
        return unsafeBitCast(address, to: type)
    }
}
