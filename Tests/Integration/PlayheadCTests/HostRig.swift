// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import FoundationEssentials
import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadC
import PlayheadTime

/// The status of a failed call, with its message.
struct CallError: Error, CustomStringConvertible {
    var status: Int
    var description: String
}

/// Calls the interface like a host in C, and throws any status other than success.
@discardableResult
func check(_ status: playhead_status) throws -> Int {
    guard status >= 0 else {
        let name = playhead_status_name(status).map { String(cString: $0) } ?? ""
        let text = playhead_last_error().map { String(cString: $0) } ?? ""
        throw CallError(status: Int(status), description: "\(name): \(text)")
    }
    return Int(status)
}

/// Returns a structure with its size set, like hosts make them.
func sized<Structure>(_ path: WritableKeyPath<Structure, UInt32>, _ empty: Structure) -> Structure {
    var structure = empty
    structure[keyPath: path] = UInt32(MemoryLayout<Structure>.size)
    return structure
}

/// A player of the interface, which is destroyed at the end.
final class HostRig {
    let player: OpaquePointer
    static let frameDuration: Int64 = 40_000_000

    /// Returns a video of two seconds at 25 frames a second, 320 x 180, with numbered frames.
    static func film() throws -> String {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 25, duration: MediaTime(value: 2, timescale: 1)))
        media.keyframeInterval = 10
        media.bidirectionalFrames = 2
        return try SyntheticClip(media, options: ["-crf", "10"]).url().path
    }

    init(clock: Int = PLAYHEAD_CLOCK_TICK, sound: Int = PLAYHEAD_AUDIO_NONE) throws {
        var options = sized(\.struct_size, playhead_options())
        options.clock_mode = playhead_clock_mode(clock)
        options.audio_mode = playhead_audio_mode(sound)
        var player: OpaquePointer?
        try check(playhead_create(&options, &player))
        guard let player else { throw CallError(status: 0, description: "no player") }
        self.player = player
    }

    deinit { _ = playhead_destroy(player) }

    /// Opens a video and waits for its first frame.
    func open(_ path: String) throws {
        try check(playhead_open(player, path))
        try check(playhead_wait_for_frame(player, 120_000_000_000, nil))
    }

    var state: playhead_state {
        get throws {
            var state = sized(\.struct_size, playhead_state())
            try check(playhead_get_state(player, &state))
            return state
        }
    }

    /// Waits for the next event of a type; returns nil if none comes.
    ///
    /// - Parameter passing: called with those that come before it.
    func event(
        _ type: Int, passing: (playhead_event) -> Void = { _ in }
    ) throws -> playhead_event? {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            var event = sized(\.struct_size, playhead_event())
            if try check(playhead_next_event(player, &event)) == PLAYHEAD_OK {
                if Int(event.type) == type { return event }
                passing(event)
            } else {
                // Yields to other threads, from which events come.
                sched_yield()
            }
        }
        return nil
    }

    /// Returns the current frame, through memory.
    func picture(width: Int = 320, height: Int = 180) throws -> TestImage? {
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        let status = try check(
            playhead_copy_rgba(
                player, 0, &pixels, Int32(width), Int32(height), Int64(width * 4), nil))
        return status == PLAYHEAD_OK
            ? TestImage(width: width, height: height, pixels: pixels) : nil
    }
}
