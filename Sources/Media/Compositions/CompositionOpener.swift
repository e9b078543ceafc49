// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// An opener of a snapshot of a composition.
struct CompositionOpener: AssetOpener {
    let state: CompositionState

    func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        guard !state.description.tracks.isEmpty else {
            throw MediaError(
                .noPlayableTracks, subject: "composition",
                cause: "it has no segment with video or audio",
                remedy: "insert a range of an asset")
        }
        return CompositionDemuxer(state, cancellation: cancellation)
    }
}
