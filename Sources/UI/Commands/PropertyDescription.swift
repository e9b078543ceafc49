// SPDX-License-Identifier: Apache-2.0

/// What there is to know of a property besides its value: a row of a table.
package struct PropertyDescription: Sendable, Hashable {
    /// Which one.
    package let property: PlayerProperty
    /// What its values are.
    package let form: PropertyForm
    /// What a person is told when it changes, such as "Volume"; nil where nothing is told.
    package let label: String?
    /// What is written after the number.
    package let unit: String
    /// What it is, as a help text says it.
    package let help: String
    /// Whether it can be set.
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

    /// What mpv lets its equaliser be set to.
    private static let equalizer = -100.0...100.0

    /// All of them, a row each.
    package static let all: [PropertyDescription] = [
        Self(.timePosition, .time(canBeNone: false), "where the film is, in seconds"),
        readOnly(.timeRemaining, .time(canBeNone: false), "what is left of it, in seconds"),
        readOnly(
            .playTimeRemaining, .time(canBeNone: false),
            "how long what is left of it takes at its rate, in seconds"),
        Self(.percentPosition, .number(0...100), "where the film is, in percent of it"),
        readOnly(.duration, .time(canBeNone: false), "how long the film is, in seconds"),
        readOnly(
            .frameNumber, .number(0...1e9), "the frame that is seen, from 0, by the rate of all"),
        readOnly(.frameCount, .number(0...1e9), "how many frames there are, by the rate of all"),
        Self(.chapter, .number(-1...1e6), "the chapter, counted from 0", label: "Chapter"),
        readOnly(.chapterList, .list, "the chapters: title and time of each"),
        readOnly(.chapterCount, .number(0...1e6), "how many chapters there are"),
        readOnly(.chapterMetadata, .map, "what the film says of the chapter, by name"),
        Self(.loopStart, .time(canBeNone: true), "where the part that is repeated begins"),
        Self(.loopEnd, .time(canBeNone: true), "where the part that is repeated ends"),
        Self(
            .loopFile, .choice(["no", "inf"]), "whether the film is played over and over",
            label: "Loop"),
        Self(
            .loopPlaylist, .choice(["no", "inf"]), "whether the playlist is played over and over",
            label: "Loop playlist"),
        Self(.pause, .flag, "whether the film stands"),
        Self(
            .speed, .number(-16...16), "how fast it plays; below 0 backwards", label: "Speed",
            unit: "×"),
        Self(
            .volume, .number(0...130), "in percent; over 100 softly limited", label: "Volume",
            unit: " %"),
        readOnly(.maximumVolume, .number(100...1000), "the highest volume"),
        Self(.mute, .flag, "whether there is silence", label: "Mute"),
        Self(
            .audioDelay, .number(-2...2), "by how much sound comes later, in seconds",
            label: "Sound delay", unit: " s"),
        readOnly(.isSeekable, .flag, "whether seeks lead anywhere"),
        readOnly(.isSeeking, .flag, "whether a seek or a step is under way"),
        readOnly(.isBuffering, .flag, "whether playing waits for more to be loaded"),
        readOnly(
            .cacheTime, .time(canBeNone: false), "up to where the film has been read, in seconds"),
        readOnly(
            .cacheDuration, .time(canBeNone: false),
            "how much of it has been read ahead, in seconds"),
        readOnly(
            .cacheState, .map, "what has been read ahead: cache-end, seekable-ranges and more"),
        readOnly(.hasEnded, .flag, "whether the film has played to its end"),
        readOnly(.isIdle, .flag, "whether there is no film"),
        readOnly(
            .isCoreIdle, .flag, "whether nothing moves: it stands, waits, has ended or is none"),
        readOnly(.mediaTitle, .text, "the film's title, else its file's name"),
        readOnly(.path, .text, "the film's path or address"),
        readOnly(.filename, .text, "the last part of it"),
        readOnly(.filenameWithoutExtension, .text, "the same without its ending"),
        readOnly(.fileFormat, .text, "the container, by FFmpeg's name"),
        readOnly(.fileSize, .number(0...1e15), "of the file, in bytes"),
        Self(
            .playlistPositionFromOne, .number(0...1e6),
            "the film's place in the playlist, from 1"),
        Self(
            .playlistPosition, .number(-1...1e6),
            "the film's place in the playlist, from 0; -1 where none plays"),
        readOnly(.playlist, .list, "the films: the filename of each, and which is current"),
        readOnly(.trackList, .list, "the tracks: id, type, title and more of each"),
        readOnly(
            .currentTracks, .map, "those of them that are chosen: video, audio and sub"),
        readOnly(.metadata, .map, "what the film says of itself, by name"),
        readOnly(.playlistCount, .number(0...1e6), "how many films the playlist has"),
        Self(.videoTrack, .track, "the track that is seen", label: "Video"),
        Self(.audioTrack, .track, "the track that is heard", label: "Audio"),
        Self(.subtitleTrack, .track, "the track that is read", label: "Subtitles"),
        readOnly(.width, .number(0...1e6), "of the film's picture as it is stored, in pixels"),
        readOnly(.height, .number(0...1e6), "of the film's picture as it is stored, in pixels"),
        readOnly(
            .displayedWidth, .number(0...1e6), "of the film's picture as it is meant to be seen"),
        readOnly(
            .displayedHeight, .number(0...1e6), "of the film's picture as it is meant to be seen"),
        readOnly(.videoParameters, .map, "of the picture: pixelformat, w, h, colormatrix and more"),
        readOnly(.videoFormat, .text, "the picture's codec, by its short name"),
        readOnly(.videoCodec, .text, "the picture's codec, by its long name"),
        readOnly(.videoBitRate, .number(0...1e12), "of the picture, in bits a second"),
        readOnly(.frameRate, .number(0...1e6), "frames a second, as the file says"),
        readOnly(.hardwareDecoder, .text, "the hardware that decodes the picture, or no"),
        readOnly(.audioParameters, .map, "of the sound: format, samplerate, channels and more"),
        readOnly(.audioCodec, .text, "the sound's codec, by its long name"),
        readOnly(.audioCodecName, .text, "the sound's codec, by its short name"),
        readOnly(.audioBitRate, .number(0...1e12), "of the sound, in bits a second"),
        readOnly(.subtitleText, .text, "the words of the subtitles that are shown now"),
        Self(
            .subtitleVisibility, .flag, "whether subtitles are shown", label: "Subtitles shown"),
        Self(
            .subtitleDelay, .number(-3600...3600), "by how much subtitles come later, in seconds",
            label: "Subtitle delay", unit: " s"),
        Self(.subtitleScale, .number(0.1...10), "size of subtitles", label: "Subtitle size"),
        Self(
            .subtitlePosition, .number(0...150), "height of subtitles; 100 is at the bottom",
            label: "Subtitle position"),
        Self(.contrast, .number(equalizer), "of the picture", label: "Contrast"),
        Self(.brightness, .number(equalizer), "of the picture", label: "Brightness"),
        Self(.gamma, .number(equalizer), "of the picture", label: "Gamma"),
        Self(.saturation, .number(equalizer), "of the picture", label: "Saturation"),
        Self(.hue, .number(equalizer), "of the picture, 100 being half the circle", label: "Hue"),
        Self(
            .aspectRatio, .ratio(["no", "16:9", "4:3", "2.35:1", "1:1"]),
            "shape of the picture, where the file is wrong", label: "Aspect ratio"),
        Self(.zoom, .number(-5...5), "of the picture, in powers of 2", label: "Zoom"),
        Self(.panX, .number(-3...3), "shift of the picture, in its widths", label: "Pan"),
        Self(.panY, .number(-3...3), "shift of the picture, in its heights", label: "Pan"),
        Self(
            .panScan, .number(0...1), "how much of the picture may be cut off so that it fills",
            label: "Pan and scan"),
        Self(
            .rotation, .number(0...359), "by how much the picture is turned clockwise, in degrees",
            label: "Rotation", unit: "°"),
        Self(
            .deinterlace, .flag, "whether flagged fields are shown one by one",
            label: "Deinterlacing"),
        Self(.deband, .flag, "whether bands in gradients are smoothed", label: "Debanding"),
        Self(.effects, .flag, "whether effects are on", label: "Effects"),
        Self(.fullscreen, .flag, "whether the window fills the screen"),
        Self(.isOnTop, .flag, "whether the window stays above others", label: "Stay on top"),
        Self(
            .windowScale, .number(0.05...20), "the window's size in sizes of the film",
            label: "Window scale"),
        Self(
            .controls, .choice(["auto", "never", "always"]), "when the controls are seen",
            label: "Controls"),
        readOnly(.windowWidth, .number(0...1e6), "of the window, in pixels"),
        readOnly(.windowHeight, .number(0...1e6), "of the window, in pixels"),
        readOnly(
            .windowDimensions, .map, "of the window: w, h, aspect, and the margins of the picture"),
        readOnly(.isMinimized, .flag, "whether the window is an icon"),
        readOnly(.isFocused, .flag, "whether keys go to the window"),
        readOnly(.displayNames, .list, "the monitors on which the window is"),
        readOnly(.displayFrameRate, .number(0...1000), "refreshes of the monitor a second"),
        readOnly(.displayWidth, .number(0...1e6), "of the monitor"),
        readOnly(.displayHeight, .number(0...1e6), "of the monitor"),
        readOnly(.droppedFrameCount, .number(0...1e9), "frames that were due and not shown"),
        Self(
            .outputMonitor, .text, "the monitor on which the film alone is shown, from 0, or no",
            label: "Film on monitor"),
        readOnly(.page, .text, "what lies over the film for Escape to take away, or no"),
        readOnly(.objectCount, .number(0...1e9), "objects of OpenGL that drawing takes"),
        readOnly(
            .allocatedBytes, .number(0...1e15), "bytes that the program has in use of malloc's"),
        readOnly(.version, .text, "the program's name and version"),
        readOnly(.processIdentifier, .number(0...1e10), "the program's number among processes"),
        readOnly(.workingDirectory, .text, "where relative paths begin"),
        readOnly(.propertyList, .list, "the names of all properties"),
        readOnly(.commandList, .list, "all commands: the name of each"),
        readOnly(.keyList, .list, "the names of keys that do not print"),
    ]

    private static let byProperty: [PlayerProperty: PropertyDescription] =
        Dictionary(uniqueKeysWithValues: all.map { ($0.property, $0) })

    /// What a person is told of a value: "Volume 50 %".
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
    /// Its row of the table.
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
