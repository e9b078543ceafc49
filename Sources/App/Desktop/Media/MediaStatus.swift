// SPDX-License-Identifier: Apache-2.0

/// What a desktop shows of a player: the properties of MPRIS, as they are at a moment.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: the properties of `org.mpris.MediaPlayer2` and `org.mpris.MediaPlayer2.Player`;
///   `MPNowPlayingInfoCenter`.
struct MediaStatus: Sendable, Equatable {
    enum PlaybackStatus: String, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    /// What is played over and over.
    enum LoopStatus: String, Sendable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    var playback = PlaybackStatus.stopped
    var loop = LoopStatus.none
    /// Whether there is a list that could be.
    var canLoopPlaylist = false
    var rate = 1.0
    /// 1 is as it is.
    var volume = 1.0
    var isFullscreen = false
    var hasWindow = false
    var canGoNext = false
    var canGoPrevious = false
    var canSeek = false
    var canPlay = false
    /// In MPRIS's own words.
    var metadata: [String: BusValue] = [:]

    static let rootInterface = "org.mpris.MediaPlayer2"
    static let playerInterface = "org.mpris.MediaPlayer2.Player"

    /// The properties of the player's interface but the position, which changes by itself.
    var playerProperties: [String: BusValue] {
        [
            "PlaybackStatus": .text(playback.rawValue),
            "LoopStatus": .text(loop.rawValue),
            "Rate": .double(rate), "MinimumRate": .double(1.0 / 16), "MaximumRate": .double(16),
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

    /// What desktops ask for; FFmpeg reads many more.
    static let mimeTypes = [
        "video/mp4", "video/x-matroska", "video/webm", "video/quicktime", "video/mpeg",
        "video/ogg", "video/x-msvideo", "video/mp2t", "video/x-flv", "video/3gpp", "audio/mpeg",
        "audio/mp4", "audio/flac", "audio/ogg", "audio/x-wav", "audio/x-matroska",
        "video/x-ms-wmv", "video/x-ms-asf", "audio/x-ms-wma", "audio/aac", "audio/opus",
        "audio/x-vorbis+ogg", "audio/x-opus+ogg", "application/vnd.apple.mpegurl",
        "audio/x-mpegurl", "audio/x-scpls",
    ]
}
