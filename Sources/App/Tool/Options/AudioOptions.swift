// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The audio options of `play`.
struct AudioOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Mute audio; in a window, the key m turns it on.")
    var mute = false

    @Option(
        help: ArgumentHelp(
            "Volume in percent, from 0 to 130.",
            discussion: "Above 100, a soft limiter prevents clipping.",
            valueName: "percent"))
    var volume: Double = 100

    @Option(help: "Audio track, counted from 0.")
    var audioTrack: Int?

    @Option(
        help: ArgumentHelp(
            "Audio device; 'playhead devices' lists them.",
            valueName: "name"))
    var audioDevice: String?

    @Option(
        help: ArgumentHelp(
            "Audio buffered in the server, in milliseconds, from 10 to 2000.",
            valueName: "ms"))
    var audioLatency: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Extra device latency that the audio server does not report, in milliseconds.",
            valueName: "ms"))
    var audioOffset: Int?

    func validate() throws {
        guard (0...130).contains(volume) else {
            throw ValidationError("--volume \(volume): expected 0 to 130")
        }
        if let audioLatency, !(10...2000).contains(audioLatency) {
            throw ValidationError("--audio-latency \(audioLatency): expected 10 to 2000 ms")
        }
        if let audioOffset, abs(audioOffset) > 10_000 {
            throw ValidationError("--audio-offset \(audioOffset): expected -10000 to 10000 ms")
        }
        if let audioTrack, audioTrack < 0 {
            throw ValidationError(
                "--audio-track \(audioTrack): expected a track number of at least 0")
        }
    }
}
