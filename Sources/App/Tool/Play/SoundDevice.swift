// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Where sound goes, or why there is none: which matters only once a film has sound.
struct SoundDevice {
    /// Nil where sound is not wanted or cannot be had.
    let sink: PulseAudioSink?
    /// Why it cannot be had.
    let problem: String?

    /// - Parameter isMutable: whether somebody can have it heard later that is not to be heard at first.
    init(_ settings: PlaySettings, isMutable: Bool) {
        let isMuted = settings.options.sound.mute
        guard !isMuted || isMutable else {
            (sink, problem) = (nil, nil)
            return
        }
        do throws(AudioError) {
            let sink = try PulseAudioSink(options: Self.wishes(settings))
            if let offset = settings.options.sound.audioOffset, let device = sink.currentDevice {
                sink.setLatencyOffset(
                    MediaTime(value: Int64(offset), timescale: 1000), forDevice: device)
            }
            self.sink = sink
            problem = nil
        } catch {
            sink = nil
            var error = error
            if error.code == .noDevice {
                error.remedy = "'playhead devices' names those that there are"
            }
            problem = isMuted ? nil : "\(error); playing without sound"
        }
    }

    private static func wishes(_ settings: PlaySettings) -> PulseAudioSink.Options {
        var wishes = PulseAudioSink.Options()
        wishes.title = title(of: settings.files.first ?? "Playhead")
        wishes.device = settings.options.sound.audioDevice
        if let latency = settings.options.sound.audioLatency {
            wishes.latency = MediaTime(value: Int64(latency), timescale: 1000)
        }
        return wishes
    }

    /// Shows in the desktop's mixer what plays: the film's own title, else its file's name.
    func setTitle(of item: PlayerItem, _ file: String) {
        let title = item.assetDescription?.metadata.filtered(by: .title).first?.stringValue
        sink?.setTitle(title ?? Self.title(of: file))
    }

    private static func title(of file: String) -> String {
        file.split(separator: "/").last.map(String.init) ?? file
    }
}
