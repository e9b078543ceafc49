// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// The audio device of a run, or the reason why it is missing, which matters once media has audio.
struct AudioDevice {
    /// The sink; nil if audio is muted for good or not available.
    let sink: PulseAudioSink?
    /// The reason why audio is not available.
    let problem: String?

    /// Creates the sink that the options select.
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

    /// Sets the title in the desktop's mixer: that of the media, else the file name.
    func setTitle(of item: PlayerItem, _ file: String) {
        let title = item.assetDescription?.metadata.filtered(by: .title).first?.stringValue
        sink?.setTitle(title ?? Self.title(of: file))
    }

    private static func title(of file: String) -> String {
        file.split(separator: "/").last.map(String.init) ?? file
    }
}
