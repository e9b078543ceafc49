// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadPlayback

extension PlayerItem {
    /// Why an item that is ready shows nothing, as a clause: it has no video track, or one that
    /// cannot be decoded.
    package var reasonForNoPicture: String {
        let hasVideo = assetDescription?.tracks(of: .video).isEmpty == false
        guard hasVideo else { return "it has no video" }
        return "its video cannot be decoded: \(lastDecodingError?.cause ?? "for no known reason")"
    }
}
