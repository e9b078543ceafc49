// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadStretching
import PlayheadTime

/// A demuxer that reads a composition as if it were a file. It returns the packets of all tracks in
/// the order in which they are due, each from the source of its segment.
///
/// It reads a snapshot, which later edits do not change.
///
/// - Concurrency: one thread at a time, as the protocol requires.
final class CompositionDemuxer: NestingDemuxer, @unchecked Sendable {
    // Unchecked: used by one thread at a time; the rest is constant.

    let description: AssetDescription
    private let tracks: [CompositionTrackState]
    private let sources: SourcePool
    /// The tracks to read, in the order of the composition.
    private var cursors: [TrackCursor]

    /// - Parameters:
    ///   - description: the description of the state.
    ///   - depth: the number of compositions that contain this one.
    init(
        _ state: CompositionState, description: AssetDescription, depth: Int,
        cancellation: Cancellation
    ) {
        self.description = description
        let described = Set(description.tracks.map(\.id))
        tracks = state.tracks.filter { described.contains($0.id) }
        let sources = SourcePool(
            trackCount: tracks.count, depth: depth, cancellation: cancellation)
        self.sources = sources
        cursors = tracks.map { TrackCursor(track: $0, pool: sources) }
    }

    /// The number of open sources, including those of compositions among them.
    var openSourceCount: Int { sources.count }

    func selectTracks(_ identifiers: Set<Int>) {
        let old = Dictionary(uniqueKeysWithValues: cursors.map { ($0.trackID, $0) })
        let position = cursors.compactMap(\.lastDue).max()
        cursors = tracks.filter { identifiers.contains($0.id) }.map { track in
            if let cursor = old[track.id] { return cursor }
            let cursor = TrackCursor(track: track, pool: sources)
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
        CompositionVideoDecoder(trackID: track.id, sources: sources, pool: pool)
    }

    func makeAudioDecoder(
        for track: AssetTrack, format: AudioFormat
    ) throws(MediaError) -> any AudioDecoder {
        let state = tracks.first { $0.id == track.id }
        return CompositionAudioDecoder(
            trackID: track.id, sources: sources, format: format,
            keepsPitch: state?.timePitchAlgorithm != .varispeed)
    }
}
