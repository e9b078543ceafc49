// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The decoders of the sources that a track of a composition played last.
///
/// - Concurrency: one thread at a time.
final class SourceDecoders<Decoder> {
    typealias Make = @Sendable (any Demuxer, AssetTrack) throws(MediaError) -> sending Decoder

    private let sources: SourcePool
    private let user: Int
    private let make: Make
    private var decoders: [(source: CompositionSource, decoder: Decoder)] = []

    /// The number of decoders that are kept: the decoder of the current run, and the previous
    /// decoder in case its source is used again. Each decoder holds frames and threads.
    private static var limit: Int { 2 }

    init(sources: SourcePool, user: Int, make: @escaping Make) {
        self.sources = sources
        self.user = user
        self.make = make
    }

    /// Returns the decoder of a source. Creates the decoder if necessary.
    func decoder(for source: CompositionSource) throws(MediaError) -> Decoder {
        if let index = decoders.firstIndex(where: { $0.source.isSame(as: source) }) {
            let known = decoders.remove(at: index)
            decoders.append(known)
            return known.decoder
        }
        let (make, track) = (make, source.track)
        let decoder = try sources.anySource(for: source.asset, user: user).withDemuxer {
            (demuxer) throws(MediaError) in try make(demuxer, track)
        }
        decoders.append((source, decoder))
        if decoders.count > Self.limit { decoders.removeFirst() }
        return decoder
    }
}
