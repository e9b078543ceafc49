// SPDX-License-Identifier: Apache-2.0

/// The description of a property.
package struct PropertyDescription: Sendable, Hashable {
    /// The property.
    package let property: PlayerProperty
    /// The form of the property's values.
    package let form: PropertyForm
    /// The label that is shown on screen when the property changes, such as "Volume"; nil if
    /// changes are not shown.
    package let label: String?
    /// The unit that follows the number.
    package let unit: String
    /// The description in help texts.
    package let help: String
    /// A Boolean value that indicates whether the property can be set.
    package let isWritable: Bool

    private init(
        _ property: PlayerProperty, _ form: PropertyForm, _ help: String, label: String? = nil,
        unit: String = "", isWritable: Bool = true
    ) {
        self.property = property
        self.form = form
        self.label = label
        self.unit = unit
        self.help = help
        self.isWritable = isWritable
    }

    private static func readOnly(
        _ property: PlayerProperty, _ form: PropertyForm, _ help: String
    ) -> Self {
        Self(property, form, help, isWritable: false)
    }

    /// The range of mpv's equaliser options, such as brightness.
    private static let equalizer = -100.0...100.0

    /// The descriptions of all properties.
    package static let all: [PropertyDescription] = [
        Self(.timePosition, .time(canBeNone: false), "the position, in seconds"),
        readOnly(.timeRemaining, .time(canBeNone: false), "the remaining time, in seconds"),
        readOnly(
            .playTimeRemaining, .time(canBeNone: false),
            "the remaining time at the current speed, in seconds"),
        Self(.percentPosition, .number(0...100), "the position, in percent of the duration"),
        readOnly(.duration, .time(canBeNone: false), "the duration, in seconds"),
        readOnly(
            .frameNumber, .number(0...1e9),
            "the number of the current frame, from 0, estimated from the frame rate"),
        readOnly(
            .frameCount, .number(0...1e9), "the number of frames, estimated from the frame rate"),
        Self(.chapter, .number(-1...1e6), "the current chapter, counted from 0", label: "Chapter"),
        readOnly(.chapterList, .list, "the chapters, each with title and time"),
        readOnly(.chapterCount, .number(0...1e6), "the number of chapters"),
        readOnly(.chapterMetadata, .map, "the metadata of the current chapter"),
        Self(.loopStart, .time(canBeNone: true), "the start of the A-B loop"),
        Self(.loopEnd, .time(canBeNone: true), "the end of the A-B loop"),
        Self(
            .loopFile, .choice(["no", "inf"]), "whether the file loops",
            label: "Loop"),
        Self(
            .loopPlaylist, .choice(["no", "inf"]), "whether the playlist loops",
            label: "Loop playlist"),
        Self(.pause, .flag, "whether playback is paused"),
        Self(
            .speed, .number(-16...16), "the playback speed; negative plays backwards",
            label: "Speed",
            unit: "×"),
        Self(
            .volume, .number(0...130),
            "the volume, in percent; amplified with a soft limiter above 100", label: "Volume",
            unit: " %"),
        readOnly(.maximumVolume, .number(100...1000), "the maximum volume, in percent"),
        Self(.mute, .flag, "whether audio is muted", label: "Mute"),
        Self(
            .audioDelay, .number(-2...2), "the delay of audio, in seconds",
            label: "Audio delay", unit: " s"),
        readOnly(.isSeekable, .flag, "whether the media is seekable"),
        readOnly(.isSeeking, .flag, "whether a seek or step is in progress"),
        readOnly(.isBuffering, .flag, "whether playback waits for data"),
        readOnly(
            .cacheTime, .time(canBeNone: false), "the end of the data read ahead, in seconds"),
        readOnly(
            .cacheDuration, .time(canBeNone: false),
            "the duration of the data read ahead, in seconds"),
        readOnly(
            .cacheState, .map, "the read-ahead cache: cache-end, seekable-ranges and more"),
        readOnly(.hasEnded, .flag, "whether playback has reached the end"),
        readOnly(.isIdle, .flag, "whether no file is loaded"),
        readOnly(
            .isCoreIdle, .flag,
            "whether playback does not advance: paused, waiting, ended or no file"),
        readOnly(.mediaTitle, .text, "the title, or the file name without a title"),
        readOnly(.path, .text, "the path or URL"),
        readOnly(.filename, .text, "the file name"),
        readOnly(.filenameWithoutExtension, .text, "the file name without its extension"),
        readOnly(.fileFormat, .text, "the container format, by FFmpeg's name"),
        readOnly(.fileSize, .number(0...1e15), "the size of the file, in bytes"),
        Self(
            .playlistPositionFromOne, .number(0...1e6),
            "the current playlist entry, counted from 1"),
        Self(
            .playlistPosition, .number(-1...1e6),
            "the current playlist entry, counted from 0; -1 if none plays"),
        readOnly(
            .playlist, .list, "the playlist entries, each with filename, and which is current"),
        readOnly(.trackList, .list, "the tracks, each with id, type, title and more"),
        readOnly(
            .currentTracks, .map, "the selected tracks: video, audio and sub"),
        readOnly(.metadata, .map, "the metadata of the file"),
        readOnly(.playlistCount, .number(0...1e6), "the number of playlist entries"),
        Self(.videoTrack, .track, "the video track", label: "Video"),
        Self(.audioTrack, .track, "the audio track", label: "Audio"),
        Self(.subtitleTrack, .track, "the subtitle track", label: "Subtitles"),
        readOnly(.width, .number(0...1e6), "the width of the video as stored, in pixels"),
        readOnly(.height, .number(0...1e6), "the height of the video as stored, in pixels"),
        readOnly(
            .displayedWidth, .number(0...1e6), "the display width of the video, in pixels"),
        readOnly(
            .displayedHeight, .number(0...1e6), "the display height of the video, in pixels"),
        readOnly(
            .videoParameters, .map, "the video format: pixelformat, w, h, colormatrix and more"),
        readOnly(.videoFormat, .text, "the short name of the video codec"),
        readOnly(.videoCodec, .text, "the long name of the video codec"),
        readOnly(.videoBitRate, .number(0...1e12), "the bit rate of the video, in bits per second"),
        readOnly(.frameRate, .number(0...1e6), "the frame rate that the file declares"),
        readOnly(.hardwareDecoder, .text, "the hardware decoder in use, or 'no'"),
        readOnly(.audioParameters, .map, "the audio format: format, samplerate, channels and more"),
        readOnly(.audioCodec, .text, "the long name of the audio codec"),
        readOnly(.audioCodecName, .text, "the short name of the audio codec"),
        readOnly(.audioBitRate, .number(0...1e12), "the bit rate of the audio, in bits per second"),
        readOnly(.subtitleText, .text, "the text of the current subtitle"),
        Self(
            .subtitleVisibility, .flag, "whether subtitles are shown", label: "Subtitles shown"),
        Self(
            .subtitleDelay, .number(-3600...3600), "the delay of subtitles, in seconds",
            label: "Subtitle delay", unit: " s"),
        Self(.subtitleScale, .number(0.1...10), "the scale of subtitles", label: "Subtitle size"),
        Self(
            .subtitlePosition, .number(0...150),
            "the vertical position of subtitles; 100 is the bottom",
            label: "Subtitle position"),
        Self(.contrast, .number(equalizer), "the contrast of the video", label: "Contrast"),
        Self(.brightness, .number(equalizer), "the brightness of the video", label: "Brightness"),
        Self(.gamma, .number(equalizer), "the gamma of the video", label: "Gamma"),
        Self(.saturation, .number(equalizer), "the saturation of the video", label: "Saturation"),
        Self(
            .hue, .number(equalizer), "the hue shift of the video; 100 is 180 degrees", label: "Hue"
        ),
        Self(
            .aspectRatio, .ratio(["no", "16:9", "4:3", "2.35:1", "1:1"]),
            "the aspect ratio that overrides that of the file", label: "Aspect ratio"),
        Self(.zoom, .number(-5...5), "the zoom of the video, as a power of 2", label: "Zoom"),
        Self(.panX, .number(-3...3), "the horizontal pan, in widths of the video", label: "Pan"),
        Self(.panY, .number(-3...3), "the vertical pan, in heights of the video", label: "Pan"),
        Self(
            .panScan, .number(0...1),
            "the share of the video that may be cropped to fill the window",
            label: "Pan and scan"),
        Self(
            .rotation, .number(0...359), "the clockwise rotation of the video, in degrees",
            label: "Rotation", unit: "°"),
        Self(
            .deinterlace, .flag, "whether interlaced video is deinterlaced",
            label: "Deinterlacing"),
        Self(.deband, .flag, "whether banding in gradients is smoothed", label: "Debanding"),
        Self(.effects, .flag, "whether effects are applied", label: "Effects"),
        Self(.fullscreen, .flag, "whether the window is full screen"),
        Self(.isOnTop, .flag, "whether the window stays above others", label: "Stay on top"),
        Self(
            .windowScale, .number(0.05...20), "the size of the window relative to the video",
            label: "Window scale"),
        Self(
            .controls, .choice(["auto", "never", "always"]), "when the controls are shown",
            label: "Controls"),
        readOnly(.windowWidth, .number(0...1e6), "the width of the window, in pixels"),
        readOnly(.windowHeight, .number(0...1e6), "the height of the window, in pixels"),
        readOnly(
            .windowDimensions, .map, "the window: w, h, aspect, and the margins of the video"),
        readOnly(.isMinimized, .flag, "whether the window is minimised"),
        readOnly(.isFocused, .flag, "whether the window has the keyboard focus"),
        readOnly(.displayNames, .list, "the monitors that show the window"),
        readOnly(.displayFrameRate, .number(0...1000), "the refresh rate of the monitor, in hertz"),
        readOnly(.displayWidth, .number(0...1e6), "the width of the monitor, in pixels"),
        readOnly(.displayHeight, .number(0...1e6), "the height of the monitor, in pixels"),
        readOnly(.droppedFrameCount, .number(0...1e9), "the number of dropped frames"),
        readOnly(
            .drawnFrameCount, .number(0...1e9),
            "the number of frames drawn at vsyncs in a row, as while the window scrolls"),
        readOnly(
            .missedVsyncCount, .number(0...1e9),
            "the number of vsyncs between such frames at which none was ready"),
        Self(
            .outputMonitor, .text,
            "the monitor that shows the video without controls, from 0, or 'no'",
            label: "Video on monitor"),
        readOnly(.page, .text, "the page over the video that Escape closes, or 'no'"),
        readOnly(.objectCount, .number(0...1e9), "the number of OpenGL objects of the renderer"),
        readOnly(
            .allocatedBytes, .number(0...1e15), "the memory allocated with malloc, in bytes"),
        readOnly(.version, .text, "the name and version of the program"),
        readOnly(.processIdentifier, .number(0...1e10), "the process ID"),
        readOnly(.workingDirectory, .text, "the working directory"),
        readOnly(.propertyList, .list, "the names of all properties"),
        readOnly(.commandList, .list, "the names of all commands"),
        readOnly(.keyList, .list, "the names of keys that are not characters"),
    ]

    private static let byProperty: [PlayerProperty: PropertyDescription] =
        Dictionary(uniqueKeysWithValues: all.map { ($0.property, $0) })

    /// Returns the text on screen for a value: "Volume 50 %".
    package func text(_ value: PropertyValue) -> String {
        let name = label ?? property.rawValue
        switch value {
        case .flag(let flag): return "\(name): \(flag ? "on" : "off")"
        case .text("no"): return "\(name): off"
        case .text("inf"): return "\(name): on"
        case .text, .list, .map: return "\(name): \(value)"
        case .number(let number):
            let hundredths = (number * 100).rounded() / 100
            return "\(name) \(CommandTime.text(hundredths == 0 ? 0 : hundredths))\(unit)"
        }
    }
}

extension PlayerProperty {
    /// The description of the property.
    package var details: PropertyDescription {
        guard let row = PropertyDescription.row(of: self) else {
            preconditionFailure("the table has a row for every property")
        }
        return row
    }
}

extension PropertyDescription {
    fileprivate static func row(of property: PlayerProperty) -> PropertyDescription? {
        byProperty[property]
    }
}
