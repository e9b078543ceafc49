// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import Synchronization

/// A source of a composition that is open: a demuxer that the threads that read and those that
/// decode use in turn.
final class OpenSource: Sendable {
    let asset: Asset
    /// The cursor that reads it. A cursor has demuxers of its own, for each has one position.
    let user: Int
    private let demuxer: Mutex<any Demuxer>

    init(asset: Asset, user: Int, demuxer: any Demuxer) {
        self.asset = asset
        self.user = user
        self.demuxer = Mutex(demuxer)
    }

    /// Calls a function with the demuxer. Waits while another thread uses it.
    func withDemuxer<Result>(
        _ body: (any Demuxer) throws(MediaError) -> sending Result
    ) throws(MediaError) -> sending Result {
        try demuxer.withLock { (demuxer) throws(MediaError) in try body(demuxer) }
    }
}
