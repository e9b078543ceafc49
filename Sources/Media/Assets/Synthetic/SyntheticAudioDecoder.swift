// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// A decoder that computes the audio of a synthetic asset, in any format.
final class SyntheticAudioDecoder: AudioDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol requires; the rest is constant.

    let format: AudioFormat
    private let sound: SyntheticSound
    private let name: String
    private let undecodable: Set<Int>
    private var waiting: [Int] = []

    init(sound: SyntheticSound, format: AudioFormat, name: String, undecodable: Set<Int>) {
        self.sound = sound
        self.format = format
        self.name = name
        self.undecodable = undecodable
    }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let payload = packet?.payload as? SyntheticPayload else { return }
        if undecodable.contains(payload.index) {
            throw MediaError(
                .decodingFailed, subject: name,
                cause: "audio packet \(payload.index) cannot be decoded")
        }
        waiting.append(payload.index)
    }

    func receive() throws(MediaError) -> AudioBuffer? {
        guard !waiting.isEmpty else { return nil }
        let packet = waiting.removeFirst()
        let start = frame(atPacket: packet)
        let end = min(
            frame(atPacket: packet + 1), sound.frameCount(sampleRate: format.sampleRate))
        let (channels, sampleRate) = (format.channelCount, format.sampleRate)
        return AudioBuffer(
            format: format,
            presentationTime: MediaTime(
                value: Int64(start), timescale: Int32(clamping: sampleRate)),
            frameCount: max(0, end - start)
        ) { samples in
            for index in samples.indices {
                samples[index] = sound.sample(
                    at: start + index / channels, sampleRate: sampleRate)
            }
        }
    }

    func flush() { waiting = [] }

    /// Returns the number of a packet's first sample frame, counted at the output rate. Consecutive
    /// packets have continuous audio at any rate.
    private func frame(atPacket packet: Int) -> Int {
        packet * sound.framesPerPacket * format.sampleRate / sound.format.sampleRate
    }
}
