// SPDX-License-Identifier: Apache-2.0

import Playhead

/// Where sound goes, or why there is none: which matters only once a film has sound.
struct SoundDevice {
    /// Nil where sound is not wanted or cannot be had.
    let sink: (any AudioSink)?
    /// Why it cannot be had.
    let problem: String?

    init(_ settings: PlaySettings) {
        guard !settings.options.mute else {
            (sink, problem) = (nil, nil)
            return
        }
        do {
            var wishes = PulseAudioSink.Options()
            wishes.title = settings.files.first ?? "Playhead"
            sink = try PulseAudioSink(options: wishes)
            problem = nil
        } catch {
            sink = nil
            problem = "\(error); playing without sound"
        }
    }
}
