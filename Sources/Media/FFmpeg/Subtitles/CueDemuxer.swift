// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A demuxer of a subtitle file that this module parses itself and as a whole.
///
/// - Concurrency: one thread at a time, as `Demuxer` requires.
final class CueDemuxer: SubtitleDemuxer, @unchecked Sendable {
    // Unchecked: only one thread at a time, as the protocol requires, accesses mutable state.

    let description: AssetDescription
    let limits: MediaLimits
    private let cues: [SubtitleCue]
    let script: SubtitleScript
    private var next = 0

    /// The number of cues in a packet.
    private static let batch = 64

    /// Creates a demuxer.
    ///
    /// - Parameters:
    ///   - cues: The subtitles of the file, in any order.
    ///   - codec: The name of the format, as in FFmpeg.
    init(
        _ cues: [SubtitleCue], _ script: SubtitleScript, codec: String, codecName: String,
        limits: MediaLimits
    ) {
        let sorted = cues.enumerated().sorted {
            ($0.element.timeRange.start, $0.offset) < ($1.element.timeRange.start, $1.offset)
        }.map(\.element)
        (self.cues, self.script, self.limits) = (sorted, script, limits)
        let start = sorted.first?.timeRange.start ?? .zero
        let end = sorted.map(\.timeRange.end).max() ?? start
        let track = AssetTrack(
            id: 0, mediaType: .subtitle,
            formatDescription: FormatDescription(codec: codec, codecName: codecName),
            timeRange: MediaTimeRange(start: start, end: end), sampleCount: sorted.count)
        description = AssetDescription(
            container: codec, duration: end, providesPreciseDurationAndTiming: false,
            tracks: [track])
    }

    func readPacket() throws(MediaError) -> MediaPacket? {
        guard next < cues.count else { return nil }
        let part = cues[next...].prefix(Self.batch)
        next = part.endIndex
        let start = part[part.startIndex].timeRange.start
        return MediaPacket(
            trackID: 0, presentationTime: start, decodeTime: start, duration: .invalid,
            isKeyframe: true, byteCount: part.reduce(0) { $0 + $1.byteCount },
            payload: CuePayload(Array(part)))
    }

    func makeSubtitleDecoder(for track: AssetTrack) throws(MediaError) -> any SubtitleDecoder {
        CueDecoder(script)
    }

    func seek(to time: MediaTime) throws(MediaError) {
        // Cues may last longer than those that begin after them.
        next = cues.firstIndex { $0.timeRange.end > time } ?? cues.count
    }
}
