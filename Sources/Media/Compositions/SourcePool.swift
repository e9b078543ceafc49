// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// The open sources of a composition: those used last, up to a limit that does not depend on the
/// number of sources. A source that is a composition itself counts as the sources that it has open.
///
/// - Concurrency: any thread. Opening a source blocks only the calling thread.
final class SourcePool: Sendable {
    private let sources = Mutex<[OpenSource]>([])
    private let cancellation: Cancellation
    private let limit: Int
    /// The number of sources that the tracks need: two for each, the one that is read and the next
    /// one.
    private let need: Int
    /// The number of compositions that contain this one.
    private let depth: Int

    /// The number of sources that may be open at once, unless the tracks need more.
    static let minimumLimit = 16

    /// - Parameters:
    ///   - trackCount: the number of tracks of the composition that are read.
    ///   - depth: the number of compositions that contain this one. Only the outermost one keeps
    ///     more sources open than its tracks need.
    init(trackCount: Int, depth: Int, cancellation: Cancellation) {
        need = 2 * trackCount
        limit = depth > 0 ? need : max(Self.minimumLimit, need)
        self.depth = depth
        self.cancellation = cancellation
    }

    /// A Boolean value that indicates whether no other composition contains this one.
    var isOutermost: Bool { depth == 0 }

    /// The number of open sources, including those of compositions among them.
    var count: Int { sources.withLock { Self.count($0) } }

    private static func count(_ sources: [OpenSource]) -> Int {
        sources.reduce(0) { $0 + $1.openCount }
    }

    /// Returns the open source that the track with the ID `user` reads from an asset. Opens the
    /// asset if necessary.
    func source(for asset: Asset, user: Int) throws(MediaError) -> OpenSource {
        try source(for: asset, user: user) { $0 == user }
    }

    /// Returns an open source of an asset, regardless of the track that reads it. If no such source
    /// is open, opens the asset for the track with the ID `user`.
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
        let demuxer: any Demuxer
        if let asset = asset as? any NestingAsset {
            demuxer = try asset.openDemuxer(depth: depth + 1, cancellation: cancellation)
        } else {
            demuxer = try asset.openDemuxer(cancellation: cancellation)
        }
        let source = OpenSource(asset: asset, user: user, demuxer: demuxer)
        // Sources that are dropped close their files outside of the lock.
        let dropped = sources.withLock { [limit, need] sources -> [OpenSource] in
            sources.append(source)
            var open = Self.count(sources)
            var excess = 0
            while open > limit, sources.count - excess > need {
                open -= sources[excess].openCount
                excess += 1
            }
            defer { sources.removeFirst(excess) }
            return Array(sources.prefix(excess))
        }
        withExtendedLifetime(dropped) {}
        return source
    }
}
