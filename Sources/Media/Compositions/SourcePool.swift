// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// The open sources of a composition: those used last, up to a limit that does not depend on the
/// number of sources. A source that is a composition itself counts as the sources that it has open.
///
/// - Concurrency: any thread. Opening a source blocks only the calling thread.
final class SourcePool: Sendable {
    private let state = Mutex(State())
    private let cancellation: Cancellation
    private let limit: Int
    /// The number of sources that the tracks need: two for each, the one that is read and the next
    /// one.
    private let need: Int
    /// The number of compositions that contain this one.
    private let depth: Int

    private struct State {
        var sources: [OpenSource] = []
        /// The number of sources that threads are opening.
        var openingCount = 0
        /// The number of sources that were removed and that threads are closing.
        var closingCount = 0

        var count: Int { sources.reduce(0) { $0 + $1.openCount } }

        /// Removes the sources that were used least recently, until no more than `limit` are open,
        /// including those that are being opened or closed. A source that is being opened counts
        /// twice, because its file has a second descriptor while it is checked.
        ///
        /// - Parameter need: The number of sources that stay open in any case.
        mutating func removeExcess(over limit: Int, need: Int) -> [OpenSource] {
            var removed: [OpenSource] = []
            var open = count + 2 * openingCount + closingCount
            while open > limit, sources.count + openingCount > need, let index = leastRecentlyUsed()
            {
                open -= sources[index].openCount
                removed.append(sources.remove(at: index))
            }
            return removed
        }

        /// Returns the index of the source to close next.
        private mutating func leastRecentlyUsed() -> Int? {
            // If a thread uses a source, its file stays open although the source is removed.
            let unused = sources.indices.filter { isKnownUniquelyReferenced(&sources[$0]) }
            return (unused.isEmpty ? Array(sources.indices) : unused)
                .min { sources[$0].lastUse < sources[$1].lastUse }
        }
    }

    /// The number of files that may be open at once, unless the tracks need more.
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

    /// The number of open sources. A source that is itself a composition counts as the sources that
    /// it has open, or as one if it has none.
    var count: Int { state.withLock { $0.count } }

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
        let known = state.withLock { state in
            state.sources.last { $0.asset === asset && isUsable($0.user) }
        }
        if let known { return known }
        // Others are closed before this source is opened, so that the limit holds at any moment.
        closeExcess { $0.openingCount += 1 }
        let demuxer: any Demuxer
        do throws(MediaError) {
            demuxer = try open(asset)
        } catch {
            state.withLock { $0.openingCount -= 1 }
            throw error
        }
        let source = OpenSource(asset: asset, user: user, demuxer: demuxer)
        // A composition may count as several sources.
        closeExcess { state in
            state.openingCount -= 1
            state.sources.append(source)
        }
        return source
    }

    /// Changes the state, and closes the sources that then exceed the limit.
    private func closeExcess(_ body: (inout State) -> Void) {
        var removed: [OpenSource]
        let count: Int
        (removed, count) = state.withLock { [limit, need] state in
            body(&state)
            let removed = state.removeExcess(over: limit, need: need)
            let count = removed.reduce(0) { $0 + $1.openCount }
            state.closingCount += count
            return (removed, count)
        }
        guard count > 0 else { return }
        // The files are closed outside of the lock.
        removed.removeAll()
        state.withLock { $0.closingCount -= count }
    }

    private func open(_ asset: Asset) throws(MediaError) -> any Demuxer {
        if let asset = asset as? any NestingAsset {
            return try asset.openDemuxer(depth: depth + 1, cancellation: cancellation)
        }
        return try asset.openDemuxer(cancellation: cancellation)
    }
}
