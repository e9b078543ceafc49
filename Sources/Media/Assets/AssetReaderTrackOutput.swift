// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// An output of an `AssetReader` that returns the samples of one track: `VideoFrame` for video,
/// `AudioBuffer` for audio.
///
/// - Concurrency: one thread at a time, for a reader and all its outputs together; calls block for
///   reading and decoding.
/// - Ownership: the output keeps its reader alive.
/// - Corresponds to: `AVAssetReaderTrackOutput`.
public final class AssetReaderTrackOutput<Sample> {
    /// The track that is read.
    public let track: AssetTrack
    /// The number of packets or samples that could not be decoded so far, and were skipped.
    package var decodeErrorCount: Int { lane.loop.errorCount }
    /// The error of the last packet or sample that could not be decoded; nil if there was no error.
    package var lastDecodeError: MediaError? { lane.loop.lastError }

    private let reader: AssetReader
    private let lane: DecodingLane<Sample>
    private var generation = 0
    private var isPastRange = false
    private let includesSampleAtStart: Bool
    /// The last sample that begins before the range, kept only if `includesSampleAtStart` is true.
    private var earlier: Sample?
    /// The sample that was read to check whether the earlier sample extends into the range. It is
    /// returned next.
    private var held: Sample?

    init(
        _ lane: DecodingLane<Sample>, of reader: AssetReader, includesSampleAtStart: Bool = false
    ) {
        track = lane.track
        self.lane = lane
        self.reader = reader
        self.includesSampleAtStart = includesSampleAtStart
    }

    /// Returns the next sample of the track in the reader's time range, or nil after the last one.
    ///
    /// - Throws: The errors of reading. `decodingFailed` is thrown only at the end, and only if no
    ///   sample of the track could be decoded.
    /// - Corresponds to: `copyNextSampleBuffer()`.
    public func copyNextSampleBuffer() throws(MediaError) -> Sample? {
        try reader.begin()
        if generation != reader.generation {
            generation = reader.generation
            isPastRange = false
            (earlier, held) = (nil, nil)
        }
        if let sample = held {
            held = nil
            return sample
        }
        while !isPastRange, let sample = try nextSample() {
            guard let range = reader.timeRange else { return sample }
            let time = lane.time(sample)
            if includesSampleAtStart, time.isNumeric, time < range.start {
                earlier = sample
                continue
            }
            isPastRange = time.isNumeric && time >= range.end
            let clipped = lane.clip(sample, range)
            if let earlier = takeEarlier(), time > range.start {
                held = clipped
                return earlier
            }
            if let clipped { return clipped }
        }
        // No sample follows, so the duration of the last sample determines its end, except for a
        // still image.
        guard let last = takeEarlier(), let range = reader.timeRange,
            track.isAttachedPicture || lane.end(last) > range.start
        else { return nil }
        return last
    }

    private func nextSample() throws(MediaError) -> Sample? {
        do {
            return try lane.next()
        } catch {
            // The sample at the start of the range is returned first, and the error with the next
            // call.
            guard error.code != .cancelled, let earlier, let range = reader.timeRange,
                lane.end(earlier) > range.start
            else { throw error }
            return nil
        }
    }

    private func takeEarlier() -> Sample? {
        defer { earlier = nil }
        return earlier
    }
}
