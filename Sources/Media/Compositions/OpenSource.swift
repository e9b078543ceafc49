// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// An open source of a composition. Reading and decoding threads use its demuxer, one at a time.
final class OpenSource: Sendable {
    let asset: Asset
    /// The ID of the composition's track that reads the source. Tracks do not share demuxers,
    /// because a demuxer has only one position.
    let user: Int
    private let demuxer: Mutex<any Demuxer>
    /// The demuxer, if it reads other assets.
    private let nesting: (any NestingDemuxer)?
    private let use = Atomic<UInt64>(0)

    /// The number of uses of all sources so far.
    private static let uses = Atomic<UInt64>(0)

    init(asset: Asset, user: Int, demuxer: any Demuxer) {
        self.asset = asset
        self.user = user
        nesting = demuxer as? any NestingDemuxer
        self.demuxer = Mutex(demuxer)
        noteUse()
    }

    /// A number that grows with each use of the source. The source that was used least recently has
    /// the smallest one.
    var lastUse: UInt64 { use.load(ordering: .relaxed) }

    private func noteUse() {
        use.store(Self.uses.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    }

    /// The number of sources that are open for this one: itself, or those of a composition.
    var openCount: Int { nesting.map { max(1, $0.openSourceCount) } ?? 1 }

    /// Calls a function with the demuxer. Waits while another thread uses it.
    func withDemuxer<Result>(
        _ body: (any Demuxer) throws(MediaError) -> sending Result
    ) throws(MediaError) -> sending Result {
        noteUse()
        return try demuxer.withLock { (demuxer) throws(MediaError) in try body(demuxer) }
    }
}
