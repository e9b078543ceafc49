// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The sound of a film that is rendered: read, put into its places, and handed on as far as pictures have
/// come.
///
/// - Concurrency: one thread, that of the run.
final class RenderSound {
    /// As it is handed on.
    let format: AudioFormat
    /// What has become of its channels, for people; empty for nothing.
    let remark: String
    private let output: AssetReaderTrackOutput<AudioBuffer>
    /// Whether channels add up to what may exceed full scale.
    private let isMixed: Bool
    private let start: MediaTime
    /// Where it ends, in the film's time: codecs give whole frames, which go on longer.
    private let end: MediaTime
    /// What has been read but is due later.
    private var next: AudioBuffer?
    private var hasBegun = false
    /// How far it has been handed on, from `start` on.
    private(set) var time = MediaTime.zero

    /// What is written as it is besides one and two channels: 5.1 and 7.1, which all that writes sound
    /// takes, with the surround channels at the sides or behind, of which files of most kinds know one.
    private static let surround: [[AudioChannel]] = [
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight],
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight],
        [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .sideLeft,
            .sideRight,
        ],
    ]

    /// - Parameter start: of the part that is rendered, in the film's time.
    /// - Throws: `MediaError` where it cannot be decoded.
    init(
        _ track: AssetTrack, _ audio: FormatDescription.Audio, of reader: AssetReader,
        from start: MediaTime, for sink: any RenderSink
    ) throws {
        self.start = start
        let rate = sink.sampleRate(of: audio.sampleRate)
        // Files that do not name their channels have the usual ones of so many.
        let channels =
            audio.channels.isEmpty
            ? Self.surround.first { $0.count == audio.channelCount } ?? [] : audio.channels
        if Self.surround.contains(channels) {
            format = AudioFormat(sampleRate: rate, channels: channels)
        } else {
            format = audio.channelCount == 1 ? .mono(sampleRate: rate) : .stereo(sampleRate: rate)
        }
        isMixed = audio.channelCount > format.channelCount
        remark =
            isMixed ? "; its sound of \(audio.channelCount) channels is mixed into two" : ""
        output = try reader.addAudioOutput(trackID: track.id, format: format)
        // An estimate may come before the end.
        let isKnown = reader.description.providesPreciseDurationAndTiming
        end = isKnown && track.timeRange.end.isNumeric ? track.timeRange.end : .positiveInfinity
    }

    /// Hands on what is heard before a time, from `start` on; all that is left for nil. Whoever interrupts
    /// does not wait for it.
    ///
    /// - Parameter progress: called as it goes on.
    func write(
        before time: MediaTime?, to sink: any RenderSink, progress: () -> Void = {}
    ) throws {
        while !Interruption.isRequested {
            guard let buffer = try next ?? output.copyNextSampleBuffer() else { return }
            next = nil
            let begins = buffer.presentationTime - start
            if let time, buffer.presentationTime.isNumeric, begins >= time, hasBegun {
                next = buffer
                return
            }
            hasBegun = true
            guard let heard = try continued(buffer, to: sink) else { continue }
            try append(isMixed ? heard.limited() : heard, to: sink)
            progress()
        }
    }

    private func append(_ buffer: AudioBuffer, to sink: any RenderSink) throws {
        try sink.append(buffer)
        time = time + buffer.duration
    }

    /// What of a buffer follows on what has been handed on: where there is none for a while, silence is, as
    /// when it plays, and what has been heard is not heard again.
    private func continued(_ buffer: AudioBuffer, to sink: any RenderSink) throws -> AudioBuffer? {
        guard buffer.presentationTime.isNumeric else { return buffer }
        let begins = buffer.presentationTime - start
        let tolerance = MediaTime(nanoseconds: AudioRingBuffer.timestampTolerance)
        if begins - time > tolerance { try writeSilence(until: begins, to: sink) }
        let first = time - begins > tolerance ? time + start : start
        return buffer.clipped(to: MediaTimeRange(start: first, duration: end - first))
    }

    /// A second at a time, however long it is.
    private func writeSilence(until end: MediaTime, to sink: any RenderSink) throws {
        let second = MediaTime(value: 1, timescale: 1)
        while time < end, !Interruption.isRequested {
            let seconds = min(end - time, second).seconds
            let frames = Int((seconds * Double(format.sampleRate)).rounded())
            guard frames > 0 else { break }
            try append(
                AudioBuffer(format: format, presentationTime: .zero, frameCount: frames) { _ in },
                to: sink)
        }
        if !Interruption.isRequested { time = end }
    }
}
