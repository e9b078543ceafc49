// SPDX-License-Identifier: Apache-2.0

import PlayheadBus

/// A snapshot of the MPRIS properties of a player.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the properties of `org.mpris.MediaPlayer2` and
///   `org.mpris.MediaPlayer2.Player`; `MPNowPlayingInfoCenter`.
struct MediaStatus: Sendable, Equatable {
    enum PlaybackStatus: String, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// The loop status.
    enum LoopStatus: String, Sendable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    var playback = PlaybackStatus.stopped
    var loop = LoopStatus.none
    /// A Boolean value that indicates whether the playlist can loop.
    var canLoopPlaylist = false
    var rate = 1.0
    /// The volume, as a factor; 1 is the original volume.
    var volume = 1.0
    var isFullscreen = false
    var hasWindow = false
    var canGoNext = false
    var canGoPrevious = false
    var canSeek = false
    var canPlay = false
    /// The metadata, by MPRIS key.
    var metadata: [String: BusValue] = [:]

    static let rootInterface = "org.mpris.MediaPlayer2"
    static let playerInterface = "org.mpris.MediaPlayer2.Player"

    /// The properties of the player interface, except the position, which changes continuously.
    var playerProperties: [String: BusValue] {
        [
            "PlaybackStatus": .text(playback.rawValue),
            "LoopStatus": .text(loop.rawValue),
            // A negative rate is reverse playback, so the minimum has to be negative.
            "Rate": .double(rate), "MinimumRate": .double(-16), "MaximumRate": .double(16),
            "Volume": .double(volume), "Metadata": .dictionary(metadata),
            "CanGoNext": .flag(canGoNext), "CanGoPrevious": .flag(canGoPrevious),
            "CanPlay": .flag(canPlay), "CanPause": .flag(canPlay), "CanSeek": .flag(canSeek),
            "CanControl": .flag(true),
        ]
    }

    var rootProperties: [String: BusValue] {
        [
            "CanQuit": .flag(true), "CanRaise": .flag(false), "HasTrackList": .flag(false),
            "CanSetFullscreen": .flag(hasWindow), "Fullscreen": .flag(isFullscreen),
            "Identity": .text("Playhead"), "DesktopEntry": .text("playhead"),
            "SupportedUriSchemes": .texts(["file", "http", "https"]),
            "SupportedMimeTypes": .texts(Self.mimeTypes),
        ]
    }

    /// The MIME types for desktop entries. FFmpeg reads many more formats.
    static let mimeTypes = [
        "video/mp4", "video/x-matroska", "video/webm", "video/quicktime", "video/mpeg",
        "video/ogg", "video/x-msvideo", "video/mp2t", "video/x-flv", "video/3gpp", "audio/mpeg",
        "audio/mp4", "audio/flac", "audio/ogg", "audio/x-wav", "audio/x-matroska",
        "video/x-ms-wmv", "video/x-ms-asf", "audio/x-ms-wma", "audio/aac", "audio/opus",
        "audio/x-vorbis+ogg", "audio/x-opus+ogg", "application/vnd.apple.mpegurl",
        "application/dash+xml", "audio/x-mpegurl", "audio/x-scpls",
    ]
}
