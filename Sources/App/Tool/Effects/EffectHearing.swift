// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Supplies audio to the effects of a video that is rendered frame by frame instead of being
/// played. The audio is read separately, up to the time of the current frame.
///
/// - Concurrency: one thread.
final class EffectHearing {
    private let analyzer = AudioAnalyzerTap()
    private let output: AssetReaderTrackOutput<AudioBuffer>
    /// The time up to which audio has been read.
    private var end: MediaTime
    private var isOver = false

    /// The duration of the audio that is read around a time. It exceeds what an effect can request.
    private static let reach = MediaTime(value: 1, timescale: 8)

    /// Creates a reader of the audio for effects. Returns nil if no effect has audio inputs, if the
    /// file has no audio, or if it cannot be opened a second time.
    ///
    /// - Parameters:
    ///   - start: The time of the first frame.
    ///   - audioTrack: The index of the audio track, or nil for the preferred one.
    init?(
        _ effects: [EffectInstance], of file: String, from start: MediaTime, audioTrack: Int? = nil
    ) {
        let hearing = effects.filter(\.hearsSound)
        guard !hearing.isEmpty else { return nil }
        // The effects may still be connected to the audio of a previous file.
        for effect in hearing { effect.sound = nil }
        guard InputFile.opensAgain(file) else { return nil }
        let first = start - Self.reach
        let range =
            first > .zero ? MediaTimeRange(start: first, duration: .positiveInfinity) : nil
        do {
            let reader = try AssetReader(asset: InputFile.asset(file), timeRange: range)
            let tracks = reader.description.tracks(of: .audio)
            let track =
                audioTrack.map { tracks.indices.contains($0) ? tracks[$0] : nil }
                ?? reader.description.preferredTrack(of: .audio)
            guard let track else { return nil }
            // This is the format of audio devices, so that effects read the same values as during
            // playback.
            output = try reader.addAudioOutput(
                trackID: track.id, format: .stereo(sampleRate: 48_000))
        } catch {
            // The error is reported when the frames of the file are read.
            return nil
        }
        end = first
        for effect in hearing { effect.sound = analyzer }
    }

    /// Reads the audio that effects may request for the frame at `time`. The times of successive
    /// calls must increase.
    func advance(to time: MediaTime) {
        while !isOver, end < time + Self.reach {
            guard let buffer = try? output.copyNextSampleBuffer() else {
                isOver = true
                return
            }
            let begin = buffer.presentationTime.isNumeric ? buffer.presentationTime : end
            analyzer.append(buffer, at: begin)
            end = begin + buffer.duration
        }
    }
}
