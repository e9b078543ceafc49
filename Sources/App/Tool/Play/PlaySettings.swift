// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// What is played and how: the options of `play`, looked up and loaded.
struct PlaySettings {
    let options: PlayCommand
    /// At least one unless the window may be empty.
    let films: [ListedFilm]
    /// Their paths or URLs.
    var files: [String] { films.map(\.file) }
    let effects: [EffectInstance]
    /// What leads from film to film; nil for nothing.
    let transition: EffectInstance?
    let background: Scene.Background
    /// Lets effects see the sound; nil where none looks at it.
    let analyzer: AudioAnalyzerTap?
    /// Whether the built-in clip plays because no file was named.
    let isBuiltIn: Bool
    /// What goes wrong without ending the program.
    let problems: ProblemLog

    @MainActor init(_ options: PlayCommand) throws {
        self.options = options
        let problems = ProblemLog()
        self.problems = problems
        isBuiltIn = options.files.isEmpty && !options.window.idle
        transition = try options.transition.load(options.effects.format)
        var effects = try options.effects.load(besides: transition)
        if isBuiltIn {
            films = [ListedFilm(file: try BuiltInClip.path())]
            if effects.isEmpty {
                effects = [EffectInstance(try EffectLibrary.effect(named: "chroma_key"))]
            }
        } else {
            let films = FilmList.films(options.files) { problems.note($0) }
            // There may be nothing to play only where something can be dropped.
            if films.isEmpty, !options.window.idle { try problems.throwStatus() }
            self.films = options.shuffle ? films.shuffled() : films
        }
        options.subtitles.checkFiles(problems)
        self.effects = effects
        analyzer = effects.contains(where: \.hearsSound) ? AudioAnalyzerTap() : nil
        for effect in effects where effect.hearsSound { effect.sound = analyzer }
        background = effects.isEmpty ? .black : .checkerboard()
    }

    /// Leads from film to film as `--transition` says.
    @MainActor func makeTransition(of output: PlayerVideoOutput) -> FilmTransition? {
        transition.map {
            FilmTransition(
                $0, duration: MediaTime(seconds: options.transition.seconds), output: output)
        }
    }

    /// How long a picture stands that is named as a film, so that it can be looked at.
    private static let stillDuration = MediaTime(value: 5, timescale: 1)

    /// A film by its path or URL.
    func makeAsset(_ file: String) -> Asset {
        var opening = AssetOptions(hardwareAcceleration: options.hwaccel)
        // Pictures that come through a pipe follow each other as those of a film.
        if !options.untimed, InputFile.opensAgain(file) {
            opening.stillDuration = Self.stillDuration
        }
        return InputFile.asset(file, options: opening)
    }

    /// An item for a file, with the audio track and the start that the options ask for.
    func makeItem(_ file: String) -> PlayerItem {
        let item = PlayerItem(asset: makeAsset(file))
        item.audioTrackIndex = options.sound.audioTrack
        options.subtitles.addFiles(to: item, of: file)
        letEffectsHear(item)
        if let start = firstTime {
            item.seek(to: start, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        return item
    }

    /// Lets effects that look at sound see this item's.
    func letEffectsHear(_ item: PlayerItem) {
        guard let analyzer else { return }
        var parameters = AudioMixInputParameters()
        parameters.taps = [analyzer]
        item.audioMix = AudioMix(inputParameters: [parameters])
    }

    /// Where films begin, if not at their beginning: a seek beyond the end leads to the end.
    var firstTime: MediaTime? {
        let beyondTheEnd = MediaTime(value: 1 << 24, timescale: 1)
        return options.start?.time ?? (options.speed < 0 ? beyondTheEnd : nil)
    }

    /// How long to wait for a first picture before playing without it.
    static let firstPictureLimit = MediaTime(value: 2, timescale: 1)

    /// Sees to it that a film named on the command line is not over where it is to start.
    func checkStart(of item: PlayerItem, _ file: String) throws(MediaError) {
        if let start = options.start?.time, item.end.isNumeric, start >= item.end {
            throw MediaError(
                .noSuchFrame, subject: file,
                cause: "--start \(start.clockDescription) is beyond its end at "
                    + item.end.clockDescription, remedy: "start earlier")
        }
    }

    /// Chooses the subtitles of a film that is about to play, and tells what a person should know of
    /// it, a line each.
    ///
    /// - Parameter sound: nil where no sound is wanted, whatever the film has.
    func remarks(on item: PlayerItem, of file: String, _ sound: SoundDevice?) -> [String] {
        var remarks: [String] = []
        let tracks = item.assetDescription?.tracks ?? []
        let sounds = tracks.filter { $0.mediaType == .audio }
        if item.playingTracks.video == nil {
            remarks.append("\(file): \(item.reasonForNoPicture); playing its sound")
        }
        if let remark = item.assetDescription.flatMap({ Console.shortfall(of: file, $0) }) {
            remarks.append(remark)
        }
        if sound == nil {
            // Nothing is to be said of it.
        } else if let index = options.sound.audioTrack, index >= sounds.count {
            remarks.append(
                "\(file): there is no --audio-track \(index), it has \(sounds.count), counted from "
                    + "0; playing without sound")
        } else if !sounds.isEmpty, let problem = sound?.problem {
            remarks.append(problem)
        }
        if ![.none, .auto].contains(options.hwaccel),
            let refusal = item.videoDecodingMethod?.refusal
        {
            remarks.append(
                "--hwaccel \(options.hwaccel.rawValue): \(refusal); the processor decodes")
        }
        if let remark = options.subtitles.choose(of: item, file) { remarks.append(remark) }
        return remarks
    }

    /// What is said at the end of a film that was damaged; nil of one that was not.
    func damage(in item: PlayerItem, _ file: String) -> String? {
        let count = item.statistics.decodingErrors
        guard count > 0 else { return nil }
        return Console.damage(in: file, count: count, last: item.lastDecodingError)
    }

    /// Size of the picture where there is no window: what was asked for, else the film's own as far
    /// as it fits into 1280 x 720.
    func pictureSize(for item: PlayerItem) -> (width: Int, height: Int) {
        if let size = options.window.size { return (size.width, size.height) }
        return displaySize(of: item, fittingInto: (1280, 720))
    }

    /// Size at which a film is meant to be seen, made smaller where it has to be.
    func displaySize(
        of item: PlayerItem, scaledBy pixelRatio: Double = 1,
        fittingInto limit: (width: Double, height: Double)
    ) -> (width: Int, height: Int) {
        // The built-in clip is keyed in real time without a GPU too.
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
        var width = Double(track.width) * Double(ratio.horizontal) / Double(ratio.vertical)
        var height = Double(track.height)
        if track.attachments.orientation.swapsAxes { swap(&width, &height) }
        let scale = min(pixelRatio, limit.width / max(width, 1), limit.height / max(height, 1))
        return (max(1, Int((width * scale).rounded())), max(1, Int((height * scale).rounded())))
    }
}
