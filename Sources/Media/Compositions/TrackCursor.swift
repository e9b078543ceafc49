// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Reads the packets of one track of a composition, run after run, each from its own source.
///
/// - Concurrency: one thread at a time.
final class TrackCursor {
    let trackID: Int
    private let mediaType: MediaType
    private let runs: [CompositionRun]
    private let pool: SourcePool
    /// The run that is read, or the next one while `reader` is nil.
    private var runIndex = 0
    /// The time to begin at; nil for the start of the run.
    private var entry: MediaTime?
    private var reader: RunReader?
    private var pass = 0
    /// The time at which the last packet that was taken was due; nil before the first.
    private(set) var lastDue: MediaTime?
    /// The packet that comes next, once it is known.
    private var held: MediaPacket?

    init(track: CompositionTrackState, pool: SourcePool) {
        trackID = track.id
        mediaType = track.mediaType
        runs = CompositionRun.runs(of: track.segments)
        self.pool = pool
    }

    /// The time at which the next packet is due; nil at the end.
    func due() throws(MediaError) -> MediaTime? {
        // A run that has not begun is opened when its turn comes, not before.
        if held == nil, reader == nil {
            return runIndex < runs.count ? entry ?? runs[runIndex].targetRange.start : nil
        }
        if held == nil { held = try next() }
        guard let held else { return nil }
        return held.decodeTime
    }

    func take() throws(MediaError) -> MediaPacket? {
        if held == nil { held = try next() }
        let packet = held
        held = nil
        if let packet { lastDue = packet.decodeTime }
        return packet
    }

    /// Moves to the last keyframe at or before a time of the composition, or to the next run if
    /// nothing plays then.
    func seek(to time: MediaTime) {
        (held, reader, entry) = (nil, nil, nil)
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
            // A time after the end: its last keyframe, as in a file.
            runIndex = runs.count - 1
            entry = last.targetRange.end
        }
    }

    private func next() throws(MediaError) -> MediaPacket? {
        while runIndex < runs.count {
            let reader = try openReader()
            if let packet = try reader.next() { return packet }
            runIndex += 1
            (self.reader, entry) = (nil, nil)
        }
        return nil
    }

    private func openReader() throws(MediaError) -> RunReader {
        if let reader { return reader }
        let run = runs[runIndex]
        let source = try pool.source(for: run.source.asset, user: trackID)
        pass += 1
        let reader = try RunReader(
            run, from: source, trackID: trackID, isVideo: mediaType == .video, pass: pass,
            at: entry)
        self.reader = reader
        return reader
    }
}
