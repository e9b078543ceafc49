// SPDX-License-Identifier: Apache-2.0

import PlayheadBus

/// A request of a bus client to the player.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the methods and writable properties of MPRIS; `MPRemoteCommandCenter`.
enum MediaRequest: Sendable, Hashable {
    case play, pause, playPause, stop, next, previous, quit
    /// Seeks by a number of microseconds.
    case seek(Int64)
    /// Seeks to a position, in microseconds, if the current track has this ID.
    case setPosition(Int64, track: String)
    case open(String)
    case setRate(Double)
    case setVolume(Double)
    case setLoop(MediaStatus.LoopStatus)
    case setFullscreen(Bool)

    /// Creates a request from a method call; nil if the method is unknown or arguments are missing.
    init?(_ member: String, of interface: String, _ arguments: [BusValue]) {
        switch (interface, member) {
        case (MediaStatus.rootInterface, "Quit"): self = .quit
        case (MediaStatus.playerInterface, "Play"): self = .play
        case (MediaStatus.playerInterface, "Pause"): self = .pause
        case (MediaStatus.playerInterface, "PlayPause"): self = .playPause
        case (MediaStatus.playerInterface, "Stop"): self = .stop
        case (MediaStatus.playerInterface, "Next"): self = .next
        case (MediaStatus.playerInterface, "Previous"): self = .previous
        case (MediaStatus.playerInterface, "Seek"):
            guard case .int64(let offset)? = arguments.first else { return nil }
            self = .seek(offset)
        case (MediaStatus.playerInterface, "SetPosition"):
            guard arguments.count == 2, let track = arguments[0].words,
                case .int64(let position) = arguments[1]
            else { return nil }
            self = .setPosition(position, track: track)
        case (MediaStatus.playerInterface, "OpenUri"):
            guard let address = arguments.first?.words else { return nil }
            self = .open(address)
        default: return nil
        }
    }

    /// Creates a request that sets a property; nil if the property is unknown or the value is
    /// invalid.
    init?(setting property: String, of interface: String, to value: BusValue) {
        switch (interface, property) {
        case (MediaStatus.playerInterface, "Rate"):
            guard let rate = value.number, rate.isFinite else { return nil }
            // MPRIS: a rate of 0 pauses.
            self = rate == 0 ? .pause : .setRate(rate)
        case (MediaStatus.playerInterface, "Volume"):
            guard let volume = value.number, volume.isFinite else { return nil }
            self = .setVolume(max(0, volume))
        case (MediaStatus.playerInterface, "LoopStatus"):
            guard let status = value.words.flatMap(MediaStatus.LoopStatus.init) else { return nil }
            self = .setLoop(status)
        case (MediaStatus.rootInterface, "Fullscreen"):
            guard let flag = value.isTrue else { return nil }
            self = .setFullscreen(flag)
        default: return nil
        }
    }
}
