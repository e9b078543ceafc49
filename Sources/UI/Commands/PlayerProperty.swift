// SPDX-License-Identifier: Apache-2.0

/// A named property of a player.
///
/// The raw values are mpv's names where mpv has the property.
///
/// - Corresponds to: mpv's properties.
package enum PlayerProperty: String, Sendable, Hashable, CaseIterable {
    // Position.
    case timePosition = "time-pos"
    case timeRemaining = "time-remaining"
    case playTimeRemaining = "playtime-remaining"
    case percentPosition = "percent-pos"
    case duration
    case frameNumber = "estimated-frame-number"
    case frameCount = "estimated-frame-count"
    case chapter
    case chapterList = "chapter-list"
    case chapterCount = "chapters"
    case chapterMetadata = "chapter-metadata"
    case loopStart = "ab-loop-a"
    case loopEnd = "ab-loop-b"
    case loopFile = "loop-file"
    case loopPlaylist = "loop-playlist"
    // Playback.
    case pause
    case speed
    case volume
    case maximumVolume = "volume-max"
    case mute
    case audioDelay = "audio-delay"
    case isSeekable = "seekable"
    case isSeeking = "seeking"
    case isBuffering = "paused-for-cache"
    case cacheTime = "demuxer-cache-time"
    case cacheDuration = "demuxer-cache-duration"
    case cacheState = "demuxer-cache-state"
    case hasEnded = "eof-reached"
    case isIdle = "idle-active"
    case isCoreIdle = "core-idle"
    // File, playlist and tracks.
    case mediaTitle = "media-title"
    case path
    case filename
    case filenameWithoutExtension = "filename/no-ext"
    case fileFormat = "file-format"
    case fileSize = "file-size"
    case playlistPosition = "playlist-pos"
    case playlistPositionFromOne = "playlist-pos-1"
    case playlistCount = "playlist-count"
    case playlist
    case trackList = "track-list"
    case currentTracks = "current-tracks"
    case metadata
    case videoTrack = "vid"
    case audioTrack = "aid"
    case subtitleTrack = "sid"
    case width
    case height
    case displayedWidth = "dwidth"
    case displayedHeight = "dheight"
    case videoParameters = "video-params"
    case videoFormat = "video-format"
    case videoCodec = "video-codec"
    case videoBitRate = "video-bitrate"
    case frameRate = "container-fps"
    case hardwareDecoder = "hwdec-current"
    case audioParameters = "audio-params"
    case audioCodec = "audio-codec"
    case audioCodecName = "audio-codec-name"
    case audioBitRate = "audio-bitrate"
    // Subtitles.
    case subtitleText = "sub-text"
    case subtitleVisibility = "sub-visibility"
    case subtitleDelay = "sub-delay"
    case subtitleScale = "sub-scale"
    case subtitlePosition = "sub-pos"
    // Video.
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
    // Window.
    case fullscreen
    case isOnTop = "ontop"
    case windowScale = "window-scale"
    case controls
    case windowWidth = "osd-width"
    case windowHeight = "osd-height"
    case windowDimensions = "osd-dimensions"
    case isMinimized = "window-minimized"
    case isFocused = "focused"
    case displayNames = "display-names"
    case displayFrameRate = "display-fps"
    case displayWidth = "display-width"
    case displayHeight = "display-height"
    case droppedFrameCount = "frame-drop-count"
    /// Playhead only: the number of frames that were drawn while the window changed.
    case drawnFrameCount = "drawn-frame-count"
    /// Playhead only: the number of vsyncs that passed while such a frame was being drawn.
    case missedVsyncCount = "missed-vsync-count"
    /// Playhead only: the monitor that shows the video without controls.
    case outputMonitor = "output-monitor"
    /// Playhead only: the page that is shown over the video. Escape closes the page and, when
    /// pressed again, leaves full screen.
    case page
    /// Playhead only: the number of OpenGL objects of the renderer.
    case objectCount = "gl-objects"
    /// Playhead only: the memory allocated with malloc.
    case allocatedBytes = "allocated-bytes"
    // Program.
    case version = "mpv-version"
    case processIdentifier = "pid"
    case workingDirectory = "working-directory"
    case propertyList = "property-list"
    case commandList = "command-list"
    case keyList = "input-key-list"

    /// mpv's alternative names of some properties.
    private static let aliases: [String: PlayerProperty] = [
        "audio": .audioTrack, "video": .videoTrack, "sub": .subtitleTrack,
        "playback-time": .timePosition, "loop": .loopFile,
        "fs": .fullscreen, "playback-abort": .isIdle, "stream-open-filename": .path,
        "playlist-current-pos": .playlistPosition, "playlist-playing-pos": .playlistPosition,
        "video-codec-name": .videoFormat, "estimated-vf-fps": .frameRate, "fps": .frameRate,
        "video-out-params": .videoParameters, "video-dec-params": .videoParameters,
    ]

    /// Creates a property from its name or an alias. As in mpv, `options/` may precede it.
    package init?(name: String) {
        let options = "options/"
        let name = name.hasPrefix(options) ? String(name.dropFirst(options.count)) : name
        guard let property = PlayerProperty(rawValue: name) ?? Self.aliases[name] else {
            return nil
        }
        self = property
    }

    /// All names and aliases, in alphabetical order.
    static let names: [String] = (allCases.map(\.rawValue) + aliases.keys).sorted()
}

extension PlayerProperty: CustomStringConvertible {
    package var description: String { rawValue }
}
