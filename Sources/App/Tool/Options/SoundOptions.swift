// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of `play` that are about sound.
struct SoundOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Play without sound; in a window, until it is switched on.")
    var mute = false

    @Option(
        help: ArgumentHelp(
            "Loudness in percent, from 0 to 130.", discussion: "Over 100 it is softly limited.",
            valueName: "percent"))
    var volume: Double = 100

    @Option(help: "Audio track, counted from 0.")
    var audioTrack: Int?

    @Option(
        help: ArgumentHelp(
            "Play on a sound device; 'playhead devices' lists them.",
            valueName: "name"))
    var audioDevice: String?

    @Option(
        help: ArgumentHelp(
            "Sound to keep at the server, in milliseconds, from 10.",
            valueName: "ms"))
    var audioLatency: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "By how much later than the server says the device is heard, in milliseconds.",
            valueName: "ms"))
    var audioOffset: Int?

    func validate() throws {
        guard (0...130).contains(volume) else {
            throw ValidationError("--volume \(volume): write 0 to 130")
        }
        if let audioLatency, !(10...2000).contains(audioLatency) {
            throw ValidationError("--audio-latency \(audioLatency): write 10 to 2000")
        }
        if let audioOffset, abs(audioOffset) > 10_000 {
            throw ValidationError("--audio-offset \(audioOffset): write -10000 to 10000")
        }
        if let audioTrack, audioTrack < 0 {
            throw ValidationError("--audio-track \(audioTrack): tracks count from 0")
        }
    }
}
