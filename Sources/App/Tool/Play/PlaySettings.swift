// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The settings of a run: the options of `play`, with the playlist read and the effects loaded.
struct PlaySettings {
    let options: PlayOptions
    /// The absolute path of the folder that `--browse` shows; nil without the option.
    let folder: String?
    /// The entries of the playlist. They are empty only with `--idle` and `--browse`.
    let films: [PlaylistEntry]
    /// The paths or URLs.
    var files: [String] { films.map(\.file) }
    let effects: [EffectInstance]
    /// The transition between files; nil without a transition.
    let transition: EffectInstance?
    let background: Scene.Background
    /// The tap that analyses audio for effects; nil if no effect uses it.
    let analyzer: AudioAnalyzerTap?
    /// A Boolean value that indicates whether the built-in clip is played because no file was
    /// named.
    let isBuiltIn: Bool
    /// The problems of the run.
    let problems: ProblemLog

    @MainActor init(_ options: PlayOptions) throws {
        self.options = options
        let problems = ProblemLog()
        self.problems = problems
        let browsed = try options.window.browse ? BrowsedFolder(options.files) : nil
        folder = browsed?.path
        isBuiltIn = options.files.isEmpty && !options.window.idle && browsed == nil
        transition = try options.transition.load(options.effects.format)
        var effects = try options.effects.load(besides: transition)
        if isBuiltIn {
            films = [PlaylistEntry(file: try BuiltInClip.path())]
            if effects.isEmpty {
                effects = [EffectInstance(try EffectLibrary.effect(named: "chroma_key"))]
            }
        } else {
            let files = browsed?.files ?? options.files
            let films = PlaylistReader.entries(files) { problems.note($0) }
            // An empty playlist is allowed only if files can be chosen in the window later.
            if films.isEmpty, !options.window.idle, browsed == nil { try problems.throwStatus() }
            self.films = options.shuffle ? films.shuffled() : films
        }
        options.subtitles.checkFiles(problems)
        self.effects = effects
        analyzer = effects.contains(where: \.hearsSound) ? AudioAnalyzerTap() : nil
        for effect in effects where effect.hearsSound { effect.sound = analyzer }
        background = effects.isEmpty ? .black : .checkerboard()
    }

    /// Creates the transition between files; nil without `--transition`.
    ///
    /// - Parameter hasAudio: A Boolean value that indicates whether the player has an audio device.
    @MainActor func makeTransition(
        of player: QueuePlayer, _ output: PlayerVideoOutput, hasAudio: Bool
    ) -> VideoTransition? {
        transition.map {
            let duration = MediaTime(
                seconds: options.transition.seconds, preferredTimescale: 90_000)
            let overlap = TransitionOverlap(player, duration: duration) { [options] in
                hasAudio
                    ? AudioDevice(options.sound, title: "Playhead", isMutable: true).sink : nil
            }
            return VideoTransition($0, duration: duration, output: output, overlap: overlap)
        }
    }

    /// The duration of a still image.
    private static let stillDuration = MediaTime(value: 5, timescale: 1)

    /// Creates an asset for a path or URL.
    func makeAsset(_ file: String) -> Asset {
        var opening = AssetOptions(hardwareAcceleration: options.hwaccel)
        options.network.apply(to: &opening)
        // Images from a pipe are treated as the frames of a video.
        if !options.untimed, InputFile.opensAgain(file) {
            opening.stillDuration = Self.stillDuration
        }
        return InputFile.asset(file, options: opening, timeline: options.timelines.options)
    }

    /// Creates an item for a file, with the audio track and the start time of the options.
    ///
    /// - Parameter isBackwards: a Boolean value that indicates whether the item plays in reverse;
    ///   nil for the direction of the options.
    func makeItem(_ file: String, isBackwards: Bool? = nil) -> PlayerItem {
        let item = makePlainItem(file)
        item.audioTrackIndex = options.sound.audioTrack
        options.subtitles.addFiles(to: item, of: file)
        attachAnalyzer(item)
        if let start = startTime(of: file, isBackwards: isBackwards) {
            item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        return item
    }

    /// Creates an item for a file, with the latency of the options.
    func makePlainItem(_ file: String) -> PlayerItem {
        let item = PlayerItem(asset: makeAsset(file))
        if let policy = options.liveOffset?.policy { item.latencyPolicy = policy }
        return item
    }

    /// Attaches the audio analyzer to an item.
    func attachAnalyzer(_ item: PlayerItem) {
        guard let analyzer else { return }
        var parameters = AudioMixInputParameters()
        parameters.taps = [analyzer]
        item.audioMix = AudioMix(inputParameters: [parameters])
    }

    /// Returns the time at which a file starts; nil for the beginning. A seek past the end goes to
    /// the end.
    ///
    /// If `--start` is relative to the end, the duration is needed, so the file is opened once
    /// more.
    func startTime(of file: String, isBackwards: Bool? = nil) -> MediaTime? {
        guard let start = options.start else {
            return isBackwards ?? (options.speed < 0) ? Self.pastTheEnd : nil
        }
        return start.time
            ?? starts.time(of: file) { file in
                guard InputFile.opensAgain(file),
                    let reader = try? AssetReader(asset: InputFile.asset(file)),
                    reader.description.end.isNumeric
                else { return nil }
                return start.time(ending: reader.description.end)
            }
    }

    /// A time beyond the end of any file.
    static let pastTheEnd = MediaTime(value: 1 << 24, timescale: 1)

    /// The start times that were determined, by file.
    private let starts = StartTimes()

    /// The maximum time to wait for a first frame before playback starts.
    static let firstPictureLimit = MediaTime(value: 2, timescale: 1)

    /// Checks that `--start` lies within a file.
    func checkStart(of item: PlayerItem, _ file: String) throws(MediaError) {
        guard let start = options.start else { return }
        guard let time = startTime(of: file) else {
            throw MediaError(
                .noSuchFrame, subject: InputFile.name(file),
                cause: "--start is relative to the end, which is unknown",
                remedy: "use a time counted from the start")
        }
        if item.end.isNumeric, time >= item.end, start.time != nil || time > item.end {
            throw MediaError(
                .noSuchFrame, subject: InputFile.name(file),
                cause: "--start \(time.clockDescription) is beyond the end at "
                    + item.end.clockDescription, remedy: "use an earlier time")
        }
    }

    /// Selects the subtitles of an item, and returns remarks about the item, each of one line.
    ///
    /// - Parameter sound: the audio device; nil if audio is not played.
    func remarks(on item: PlayerItem, of file: String, _ sound: AudioDevice?) -> [String] {
        var remarks: [String] = []
        let tracks = item.assetDescription?.tracks ?? []
        let sounds = tracks.filter { $0.mediaType == .audio }
        if item.playingTracks.video == nil {
            remarks.append("\(InputFile.name(file)): \(item.reasonForNoPicture); playing its audio")
        }
        if let remark = item.assetDescription.flatMap({
            Console.shortfall(of: InputFile.name(file), $0)
        }) {
            remarks.append(remark)
        }
        if sound == nil {
            // There is nothing to remark.
        } else if let index = options.sound.audioTrack, index >= sounds.count {
            remarks.append(
                "\(InputFile.name(file)): there is no audio track \(index); the file has "
                    + "\(sounds.count), counted from 0; playing without audio")
        } else if !sounds.isEmpty, let problem = sound?.problem {
            remarks.append(problem)
        }
        if ![.none, .auto].contains(options.hwaccel),
            let refusal = item.videoDecodingMethod?.refusal
        {
            remarks.append(
                "--hwaccel \(options.hwaccel.rawValue): \(refusal); decoding in software")
        }
        if let remark = options.subtitles.choose(of: item, file) { remarks.append(remark) }
        return remarks
    }

    /// Returns the remark that is printed when a damaged file ends; nil if the file is not damaged.
    func damage(in item: PlayerItem, _ file: String) -> String? {
        let count = item.statistics.decodingErrors
        guard count > 0 else { return nil }
        return Console.damage(in: InputFile.name(file), count: count, last: item.lastDecodingError)
    }

    /// Returns the frame size for a run without a window: the size in the options or, if there is
    /// none, the size of the video, reduced to fit into 1280 x 720.
    func pictureSize(for item: PlayerItem) -> (width: Int, height: Int) {
        if let size = options.window.size { return (size.width, size.height) }
        return displaySize(of: item, fittingInto: (1280, 720))
    }

    /// Returns the display size of the video, reduced to a limit.
    func displaySize(
        of item: PlayerItem, scaledBy pixelRatio: Double = 1,
        fittingInto limit: (width: Double, height: Double)
    ) -> (width: Int, height: Int) {
        // Chroma keying of the built-in clip must run in real time even without a GPU.
        var limit = limit
        if isBuiltIn {
            limit = (min(limit.width, 960 * pixelRatio), min(limit.height, 540 * pixelRatio))
        }
        guard let track = item.playingTracks.video?.formatDescription.video else {
            return (
                Int(min(limit.width, 960 * pixelRatio)), Int(min(limit.height, 540 * pixelRatio))
            )
        }
        let ratio = track.attachments.pixelAspectRatio
        let size = track.frameSize
        var width = Double(size.width) * Double(ratio.horizontal) / Double(ratio.vertical)
        var height = Double(size.height)
        if track.attachments.orientation.swapsAxes { swap(&width, &height) }
        let scale = min(pixelRatio, limit.width / max(width, 1), limit.height / max(height, 1))
        return (max(1, Int((width * scale).rounded())), max(1, Int((height * scale).rounded())))
    }
}
