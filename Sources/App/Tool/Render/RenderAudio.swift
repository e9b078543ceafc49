// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The audio of a rendering. It is read, mapped to the output channels, and written up to the time
/// of the frames.
///
/// - Concurrency: the thread of the run.
final class RenderAudio {
    /// The format in which the audio is written.
    let format: AudioFormat
    /// A remark about a downmix; empty if there is no downmix.
    let remark: String
    private let output: AssetReaderTrackOutput<AudioBuffer>
    /// A Boolean value that indicates whether a downmix can exceed full scale.
    private let isMixed: Bool
    private let start: MediaTime
    /// The end, in media time. It is needed because codecs deliver whole frames, which can extend
    /// past the end.
    private let end: MediaTime
    /// A buffer that has been read but is not due yet.
    private var next: AudioBuffer?
    private var hasBegun = false
    /// The duration of the audio that has been written, from `start`.
    private(set) var time = MediaTime.zero

    /// The layouts that are written unchanged, in addition to mono and stereo: 5.1 and 7.1 with the
    /// surround channels at the side or at the back, because most formats support one of the two.
    private static let surround: [[AudioChannel]] = [
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight],
        [.frontLeft, .frontRight, .frontCenter, .lowFrequency, .sideLeft, .sideRight],
        [
            .frontLeft, .frontRight, .frontCenter, .lowFrequency, .backLeft, .backRight, .sideLeft,
            .sideRight,
        ],
    ]

    /// Opens the audio of a file.
    ///
    /// - Parameter start: the start of the range, in media time.
    /// - Throws: `MediaError` if audio cannot be decoded.
    init(
        _ track: AssetTrack, _ audio: FormatDescription.Audio, of reader: AssetReader,
        from start: MediaTime, for sink: any RenderAudioSink
    ) throws {
        self.start = start
        let rate = sink.sampleRate(of: audio.sampleRate)
        // Channels without names have the default layout for their number.
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
            isMixed ? "; audio downmixed from \(audio.channelCount) channels to 2" : ""
        output = try reader.addAudioOutput(trackID: track.id, format: format)
        // An end that is an estimate may be too early.
        let isKnown = reader.description.providesPreciseDurationAndTiming
        end = isKnown && track.timeRange.end.isNumeric ? track.timeRange.end : .positiveInfinity
    }

    /// Writes the audio up to a time, which is counted from `start`; nil writes all of the rest.
    /// Stops if the run is interrupted.
    ///
    /// - Parameter progress: called after each buffer.
    func write(
        before time: MediaTime?, to sink: any RenderAudioSink, progress: () -> Void = {}
    ) throws {
        while !Interruption.isRequested {
            guard let buffer = try next ?? output.copyNextSampleBuffer() else {
                return try sink.endAudio()
            }
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

    private func append(_ buffer: AudioBuffer, to sink: any RenderAudioSink) throws {
        try sink.append(buffer)
        time = time + buffer.duration
    }

    /// Returns the part of a buffer that follows the audio written so far. As during playback, gaps
    /// are filled with silence and overlaps are dropped.
    private func continued(_ buffer: AudioBuffer, to sink: any RenderAudioSink) throws
        -> AudioBuffer?
    {
        guard buffer.presentationTime.isNumeric else { return buffer }
        let begins = buffer.presentationTime - start
        let tolerance = MediaTime(nanoseconds: AudioRingBuffer.timestampTolerance)
        if begins - time > tolerance { try writeSilence(until: begins, to: sink) }
        let first = time - begins > tolerance ? time + start : start
        return buffer.clipped(to: MediaTimeRange(start: first, duration: end - first))
    }

    /// Writes silence, one second at a time.
    private func writeSilence(until end: MediaTime, to sink: any RenderAudioSink) throws {
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
