// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An opener of a snapshot of a composition.
struct CompositionOpener: AssetOpener {
    let state: CompositionState

    /// The maximum number of assets of compositions that may contain one another. Reading and
    /// decoding go from each to the next one.
    static let depthLimit = 256

    func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        try openDemuxer(depth: 0, cancellation: cancellation)
    }

    /// - Parameter depth: the number of compositions that contain this one.
    func openDemuxer(
        depth: Int, cancellation: Cancellation
    ) throws(MediaError) -> CompositionDemuxer {
        guard depth < Self.depthLimit else {
            throw MediaError(
                .limitExceeded, subject: "composition",
                cause: "more than \(Self.depthLimit) compositions contain one another",
                remedy: "insert compositions themselves, not their assets")
        }
        let description = state.description
        guard !description.tracks.isEmpty else {
            throw MediaError(
                .noPlayableTracks, subject: "composition",
                cause: "it has no segment with video or audio",
                remedy: "insert a range of an asset")
        }
        return CompositionDemuxer(
            state, description: description, depth: depth, cancellation: cancellation)
    }
}
