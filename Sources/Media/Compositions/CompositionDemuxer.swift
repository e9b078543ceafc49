// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// A demuxer that reads a composition as if it were a file. It returns the packets of all tracks in
/// the order in which they are due, each from the source of its segment.
///
/// It reads a snapshot, which later edits do not change.
///
/// - Concurrency: one thread at a time, as the protocol requires.
final class CompositionDemuxer: Demuxer, @unchecked Sendable {
    // Unchecked: used by one thread at a time; the rest is constant.

    let description: AssetDescription
    private let tracks: [CompositionTrackState]
    private let pool: SourcePool
    /// The tracks to read, in the order of the composition.
    private var cursors: [TrackCursor]

    init(_ state: CompositionState, cancellation: Cancellation) {
        description = state.description
        let described = Set(description.tracks.map(\.id))
        tracks = state.tracks.filter { described.contains($0.id) }
        let pool = SourcePool(trackCount: tracks.count, cancellation: cancellation)
        self.pool = pool
        cursors = tracks.map { TrackCursor(track: $0, pool: pool) }
    }

    /// The number of open sources.
    var openSourceCount: Int { pool.count }

    func selectTracks(_ identifiers: Set<Int>) {
        let old = Dictionary(uniqueKeysWithValues: cursors.map { ($0.trackID, $0) })
        let position = cursors.compactMap(\.lastDue).max()
        cursors = tracks.filter { identifiers.contains($0.id) }.map { track in
            if let cursor = old[track.id] { return cursor }
            let cursor = TrackCursor(track: track, pool: pool)
            if let position { cursor.seek(to: position) }
            return cursor
        }
    }

    func readPacket() throws(MediaError) -> MediaPacket? {
        var first: (due: MediaTime, cursor: TrackCursor)?
        for cursor in cursors {
            guard let due = try cursor.due(), due < first?.due ?? .positiveInfinity else {
                continue
            }
            first = (due, cursor)
        }
        guard let cursor = first?.cursor else { return nil }
        // If a run has no packet, another track may be due next.
        if let packet = try cursor.take() { return packet }
        return try readPacket()
    }

    func seek(to time: MediaTime) throws(MediaError) {
        for cursor in cursors { cursor.seek(to: time.isNumeric ? max(time, .zero) : .zero) }
    }

    func makeVideoDecoder(
        for track: AssetTrack, pool: (any PixelBufferPool)?
    ) throws(MediaError) -> any VideoDecoder {
        CompositionVideoDecoder(trackID: track.id, sources: self.pool, pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        CompositionAudioDecoder(trackID: track.id, sources: pool, format: format)
    }
}
