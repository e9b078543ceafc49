// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The audio device of a run, or the reason why there is no device. The reason is reported once
/// media with audio is played.
struct AudioDevice {
    /// The sink; nil if no sink is available, or if audio is muted and cannot be turned on.
    let sink: PulseAudioSink?
    /// The reason why audio is not available.
    let problem: String?

    /// Creates the sink according to the options.
    ///
    /// - Parameter isMutable: whether muted audio can be turned on later.
    init(_ options: AudioOptions, title: String, isMutable: Bool) {
        let isMuted = options.mute
        guard !isMuted || isMutable else {
            (sink, problem) = (nil, nil)
            return
        }
        do throws(AudioError) {
            let sink = try PulseAudioSink(options: Self.sinkOptions(options, title: title))
            if let offset = options.audioOffset, let device = sink.currentDevice {
                sink.setLatencyOffset(
                    MediaTime(value: Int64(offset), timescale: 1000), forDevice: device)
            }
            self.sink = sink
            problem = nil
        } catch {
            sink = nil
            var error = error
            if error.code == .noDevice {
                error.remedy = "'playhead devices' lists the devices"
            }
            problem = isMuted ? nil : "\(error); playing without audio"
        }
    }

    private static func sinkOptions(
        _ options: AudioOptions, title: String
    ) -> PulseAudioOptions {
        var result = PulseAudioOptions()
        result.title = Self.title(of: title)
        result.device = options.audioDevice
        if let latency = options.audioLatency {
            result.latency = MediaTime(value: Int64(latency), timescale: 1000)
        }
        return result
    }

    /// Sets the title that the desktop's mixer shows: the title of the media or, without one, the
    /// file name.
    func setTitle(of item: PlayerItem, _ file: String) {
        let title = item.assetDescription?.metadata.filtered(by: .title).first?.stringValue
        sink?.setTitle(title ?? Self.title(of: file))
    }

    private static func title(of file: String) -> String {
        let name = InputFile.name(file)
        return name.split(separator: "/").last.map(String.init) ?? name
    }
}
