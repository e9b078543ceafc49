// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// Lets effects hear a film that is drawn picture by picture and not played: its sound is read
/// beside it, as far as pictures have come.
///
/// - Concurrency: one thread.
final class EffectHearing {
    private let analyzer = AudioAnalyzerTap()
    private let output: AssetReaderTrackOutput<AudioBuffer>
    /// The time up to which audio has been read.
    private var end: MediaTime
    private var isOver = false

    /// What is looked at around a time: more than the longest row of samples that an effect can ask
    /// for.
    private static let reach = MediaTime(value: 1, timescale: 8)

    /// Nil where no effect looks at sound, and where there is none, or none that can be read a
    /// second time.
    ///
    /// - Parameters:
    ///   - start: the time of the first picture.
    ///   - audioTrack: the place of its track among those of sound; the preferred one when nil.
    init?(
        _ effects: [EffectInstance], of file: String, from start: MediaTime, audioTrack: Int? = nil
    ) {
        let hearing = effects.filter(\.hearsSound)
        guard !hearing.isEmpty else { return nil }
        // What was heard before was another film's.
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
            // As devices have it, so that effects see the same as when the film plays.
            output = try reader.addAudioOutput(
                trackID: track.id, format: .stereo(sampleRate: 48_000))
        } catch {
            // Whoever reads the film for its own sake says so.
            return nil
        }
        end = first
        for effect in hearing { effect.sound = analyzer }
    }

    /// Reads as far as is looked at by what is drawn at a time of the film. Times only go on.
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
