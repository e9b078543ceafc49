// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// The open sources of a composition: those used last, up to a limit that does not depend on the
/// number of sources.
///
/// - Concurrency: any thread. Opening a source blocks only the calling thread.
final class SourcePool: Sendable {
    private let sources = Mutex<[OpenSource]>([])
    private let cancellation: Cancellation
    private let limit: Int

    /// The number of sources that may be open at once, unless the tracks need more. A track needs
    /// two: the one that is read, and the next one.
    static let minimumLimit = 16

    /// - Parameter trackCount: the number of tracks of the composition that are read.
    init(trackCount: Int, cancellation: Cancellation) {
        limit = max(Self.minimumLimit, 2 * trackCount)
        self.cancellation = cancellation
    }

    /// The number of open sources.
    var count: Int { sources.withLock { $0.count } }

    /// Returns the open source that the track with the ID `user` reads from an asset. Opens the
    /// asset if necessary.
    func source(for asset: Asset, user: Int) throws(MediaError) -> OpenSource {
        try source(for: asset, user: user) { $0 == user }
    }

    /// Returns an open source of an asset, regardless of the track that reads it. If there is none,
    /// opens the asset for the track with the ID `user`.
    func anySource(for asset: Asset, user: Int) throws(MediaError) -> OpenSource {
        try source(for: asset, user: user) { _ in true }
    }

    private func source(
        for asset: Asset, user: Int, where isUsable: (Int) -> Bool
    ) throws(MediaError) -> OpenSource {
        let known = sources.withLock { sources -> OpenSource? in
            let index = sources.lastIndex { $0.asset === asset && isUsable($0.user) }
            guard let index else { return nil }
            let source = sources.remove(at: index)
            sources.append(source)
            return source
        }
        if let known { return known }
        let demuxer = try asset.openDemuxer(cancellation: cancellation)
        let source = OpenSource(asset: asset, user: user, demuxer: demuxer)
        // Sources that are dropped close their files outside of the lock.
        let dropped = sources.withLock { [limit] sources -> [OpenSource] in
            sources.append(source)
            let excess = max(0, sources.count - limit)
            defer { sources.removeFirst(excess) }
            return Array(sources.prefix(excess))
        }
        withExtendedLifetime(dropped) {}
        return source
    }
}
