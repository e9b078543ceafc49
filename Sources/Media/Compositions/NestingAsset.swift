// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An asset that opens other assets: a composition, which may be a source of another one.
protocol NestingAsset: Asset {
    /// Opens a demuxer.
    ///
    /// - Parameter depth: the number of assets of this kind that contain this one.
    func openDemuxer(
        depth: Int, cancellation: Cancellation
    ) throws(MediaError) -> any NestingDemuxer
}

/// A demuxer that reads other assets.
protocol NestingDemuxer: Demuxer {
    /// The number of open assets. It can be read on any thread.
    var openSourceCount: Int { get }
}
