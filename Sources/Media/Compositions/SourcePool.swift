// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// The sources of a composition that are open: the ones used last, and no more than a limit,
/// however many the composition has.
///
/// - Concurrency: any thread. Opening blocks its thread, and no other.
final class SourcePool: Sendable {
    private let sources = Mutex<[OpenSource]>([])
    private let cancellation: Cancellation
    private let limit: Int

    /// Sources that may be open at once, unless the tracks alone need more: one that is read and
    /// one that comes next for each.
    static let minimumLimit = 16

    /// - Parameter trackCount: the number of the composition's tracks that are read.
    init(trackCount: Int, cancellation: Cancellation) {
        limit = max(Self.minimumLimit, 2 * trackCount)
        self.cancellation = cancellation
    }

    /// The number of sources that are open.
    var count: Int { sources.withLock { $0.count } }

    /// Returns an asset that is open for one user, or opens it.
    func source(for asset: Asset, user: Int) throws(MediaError) -> OpenSource {
        try source(for: asset, user: user) { $0 == user }
    }

    /// Returns an asset that is open for any user, or opens it.
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
        // What is dropped closes its file outside of the lock.
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
