// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The samples of one track of an `AssetReader`: pictures as `VideoFrame`, sound as `AudioBuffer`.
///
/// - Concurrency: one thread at a time, for a reader and all its outputs together; calls block for
///   reading and decoding.
/// - Ownership: keeps its reader alive.
/// - Corresponds to: `AVAssetReaderTrackOutput`.
public final class AssetReaderTrackOutput<Sample> {
    /// The track that is read.
    public let track: AssetTrack
    /// The number of packets or samples that could not be decoded so far; they are left out.
    package var decodeErrorCount: Int { lane.loop.errorCount }
    /// Why the last of them could not.
    package var lastDecodeError: MediaError? { lane.loop.lastError }

    private let reader: AssetReader
    private let lane: DecodingLane<Sample>
    private var generation = 0
    private var isPastRange = false
    private let includesSampleAtStart: Bool
    /// The latest of what begins before the range, where that is wanted.
    private var earlier: Sample?
    /// The sample that was read to check whether the earlier one lasts into the range; it comes
    /// next.
    private var held: Sample?

    init(
        _ lane: DecodingLane<Sample>, of reader: AssetReader, includesSampleAtStart: Bool = false
    ) {
        track = lane.track
        self.lane = lane
        self.reader = reader
        self.includesSampleAtStart = includesSampleAtStart
    }

    /// The next sample of the track in the reader's time range; nil after the last.
    ///
    /// - Throws: what reading throws; `decodingFailed` only at the end, when not one sample of the
    ///   track could be decoded.
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
        while !isPastRange, let sample = try lane.next() {
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
        // Nothing follows: it is over when it says, but for a picture of the whole.
        guard let last = takeEarlier(), let range = reader.timeRange,
            track.isAttachedPicture || lane.end(last) > range.start
        else { return nil }
        return last
    }

    private func takeEarlier() -> Sample? {
        defer { earlier = nil }
        return earlier
    }
}
