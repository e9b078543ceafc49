// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A reader of the packets of one track of a composition. It reads one run after another, each from
/// its source.
///
/// - Concurrency: one thread at a time.
final class TrackCursor {
    let trackID: Int
    private let mediaType: MediaType
    private let runs: [CompositionRun]
    private let pool: SourcePool
    /// The index of the current run, or of the next one if `reader` is nil.
    private var runIndex = 0
    /// The time at which to begin; nil for the start of the run.
    private var entry: MediaTime?
    private var reader: RunReader?
    private var pass = 0
    /// The due time of the last packet that was taken; nil before the first packet.
    private(set) var lastDue: MediaTime?
    /// The next packet, once it is known.
    private var held: MediaPacket?
    /// The error of reading the next packet. It is due like a packet, so that the packets of other
    /// tracks that are due before it are read.
    private var failure: MediaError?

    init(track: CompositionTrackState, pool: SourcePool) {
        trackID = track.id
        mediaType = track.mediaType
        runs = CompositionRun.runs(of: track.segments)
        self.pool = pool
    }

    /// Returns the time at which the next packet, or an error, is due; nil at the end.
    func due() throws(MediaError) -> MediaTime? {
        // A run is not opened before its first packet is due.
        if held == nil, reader == nil {
            return runIndex < runs.count ? entry ?? runs[runIndex].targetRange.start : nil
        }
        if held == nil, failure == nil {
            do {
                held = try next()
            } catch {
                guard error.code != .cancelled else { throw error }
                failure = error
            }
        }
        if failure != nil {
            return max(entry ?? runs[runIndex].targetRange.start, lastDue ?? .zero)
        }
        return held?.decodeTime
    }

    func take() throws(MediaError) -> MediaPacket? {
        if let failure {
            self.failure = nil
            throw failure
        }
        if held == nil { held = try next() }
        let packet = held
        held = nil
        if let packet { lastDue = packet.decodeTime }
        return packet
    }

    /// Moves to the last keyframe at or before a time of the composition, or to the next run if
    /// nothing plays then.
    func seek(to time: MediaTime) {
        (held, failure, reader, entry) = (nil, nil, nil, nil)
        pass += 1
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].targetRange.end <= time { low = middle + 1 } else { high = middle }
        }
        runIndex = low
        if low < runs.count {
            if time > runs[low].targetRange.start { entry = time }
        } else if let last = runs.last {
            // For a time after the end, use the last keyframe, as in a file.
            runIndex = runs.count - 1
            entry = last.targetRange.end
        }
    }

    private func next() throws(MediaError) -> MediaPacket? {
        while runIndex < runs.count {
            do {
                if let packet = try openReader().next() { return packet }
            } catch {
                guard pool.isOutermost else { throw error }
                throw error.inComposition(
                    track: trackID, from: runs[runIndex].targetRange.start)
            }
            runIndex += 1
            (self.reader, entry) = (nil, nil)
        }
        return nil
    }

    private func openReader() throws(MediaError) -> RunReader {
        if let reader { return reader }
        let run = runs[runIndex]
        let source = try pool.source(for: run.source.asset, user: trackID)
        // A source that was closed in favour of others is opened again. Its file may have been
        // replaced in the meantime.
        try source.withDemuxer { (demuxer) throws(MediaError) in
            try run.source.requireUnchanged(in: demuxer.description, until: run.sourceRange.end)
        }
        pass += 1
        let reader = try RunReader(
            run, from: source, trackID: trackID, isVideo: mediaType == .video, pass: pass,
            at: entry)
        self.reader = reader
        return reader
    }
}
