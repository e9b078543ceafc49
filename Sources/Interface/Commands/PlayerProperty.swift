// SPDX-License-Identifier: Apache-2.0

/// Something about a player that has a name and can be asked for, and often be set.
///
/// The raw values are mpv's names, where mpv has the property.
///
/// - Corresponds to: mpv's properties.
public enum PlayerProperty: String, Sendable, Hashable, CaseIterable {
    // Where the film is.
    case timePosition = "time-pos"
    case timeRemaining = "time-remaining"
    case percentPosition = "percent-pos"
    case duration
    case chapter
    case chapterList = "chapter-list"
    case chapterCount = "chapters"
    case loopStart = "ab-loop-a"
    case loopEnd = "ab-loop-b"
    case loopFile = "loop-file"
    // How it plays.
    case pause
    case speed
    case volume
    case mute
    case audioDelay = "audio-delay"
    case isSeekable = "seekable"
    case isSeeking = "seeking"
    case isBuffering = "paused-for-cache"
    case hasEnded = "eof-reached"
    case isIdle = "idle-active"
    // What plays.
    case mediaTitle = "media-title"
    case path
    case filename
    case filenameWithoutExtension = "filename/no-ext"
    case playlistPosition = "playlist-pos"
    case playlistCount = "playlist-count"
    case playlist
    case trackList = "track-list"
    case metadata
    case videoTrack = "vid"
    case audioTrack = "aid"
    case subtitleTrack = "sid"
    case width
    case height
    // Subtitles.
    case subtitleText = "sub-text"
    case subtitleVisibility = "sub-visibility"
    case subtitleDelay = "sub-delay"
    case subtitleScale = "sub-scale"
    case subtitlePosition = "sub-pos"
    // The picture.
    case contrast
    case brightness
    case gamma
    case saturation
    case hue
    case aspectRatio = "video-aspect-override"
    case zoom = "video-zoom"
    case panX = "video-pan-x"
    case panY = "video-pan-y"
    case panScan = "panscan"
    case rotation = "video-rotate"
    case deinterlace
    case deband
    case effects
    // The window.
    case fullscreen
    case isOnTop = "ontop"
    case windowScale = "window-scale"
    case controls
    /// Ours: where the film is shown alone, while the controls stay behind.
    case outputMonitor = "output-monitor"
    /// Ours: what lies over the film, which Escape takes away before it leaves the whole screen.
    case page
    /// Ours: what the renderer has made of OpenGL's objects.
    case objectCount = "gl-objects"
    /// Ours: what the program has of malloc's.
    case allocatedBytes = "allocated-bytes"

    /// Other names by which mpv knows some.
    private static let aliases: [String: PlayerProperty] = [
        "audio": .audioTrack, "video": .videoTrack, "sub": .subtitleTrack,
        "playback-time": .timePosition, "loop": .loopFile,
        "fs": .fullscreen,
    ]

    /// The property of a name, or of one of its other names.
    public init?(name: String) {
        guard let property = PlayerProperty(rawValue: name) ?? Self.aliases[name] else {
            return nil
        }
        self = property
    }
}

extension PlayerProperty: CustomStringConvertible {
    public var description: String { rawValue }
}
