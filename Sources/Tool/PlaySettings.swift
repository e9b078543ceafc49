// SPDX-License-Identifier: Apache-2.0

import Playhead

/// What is played and how: the options of `play`, looked up and loaded.
struct PlaySettings {
    let options: PlayCommand
    /// Paths or URLs, at least one.
    let files: [String]
    let effects: [EffectInstance]
    let background: Scene.Background
    /// Whether the built-in clip plays because no file was named.
    let isBuiltIn: Bool

    init(_ options: PlayCommand) throws {
        self.options = options
        isBuiltIn = options.files.isEmpty
        var effects = try options.effects.load()
        if isBuiltIn {
            files = [try BuiltInClip.path()]
            if effects.isEmpty {
                effects = [EffectInstance(try EffectLibrary.effect(named: "chroma_key"))]
            }
        } else {
            files = options.files
        }
        self.effects = effects
        background = effects.isEmpty ? .black : .checkerboard()
    }

    /// An item for a file, with the audio track and the start that the options ask for.
    func makeItem(_ file: String) -> PlayerItem {
        let item = PlayerItem(asset: URLAsset(file))
        item.audioTrackIndex = options.audioTrack
        if let start = options.start { item.seek(to: start.time) }
        return item
    }

    /// A sound device, or nil where sound is not wanted or cannot be had, which is said.
    func makeAudioSink() -> (any AudioSink)? {
        guard !options.mute else { return nil }
        do {
            var wishes = PulseAudioSink.Options()
            wishes.title = files.first ?? "Playhead"
            return try PulseAudioSink(options: wishes)
        } catch {
            Console.note("\(error); playing without sound")
            return nil
        }
    }

    /// Size of the picture where there is no window: what was asked for, else the film's own as far
    /// as it fits into 1280 x 720.
    func pictureSize(for item: PlayerItem) -> (width: Int, height: Int) {
        if let size = options.size { return (size.width, size.height) }
        // Keyed in real time without a GPU too.
        if isBuiltIn { return (960, 540) }
        guard let track = item.playingTracks.video?.formatDescription.video else {
            return (1280, 720)
        }
        let ratio = track.attachments.pixelAspectRatio
        var width = Double(track.width) * Double(ratio.horizontal) / Double(ratio.vertical)
        var height = Double(track.height)
        if track.attachments.orientation.swapsAxes { swap(&width, &height) }
        let scale = min(1, 1280 / max(width, 1), 720 / max(height, 1))
        return (max(1, Int((width * scale).rounded())), max(1, Int((height * scale).rounded())))
    }
}
