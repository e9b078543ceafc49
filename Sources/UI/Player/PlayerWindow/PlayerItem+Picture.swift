// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
package import PlayheadPlayback

extension PlayerItem {
    /// The reason why a ready item shows no video, as a clause: the item has no video track, or
    /// none that can be decoded.
    package var reasonForNoPicture: String {
        let hasVideo = assetDescription?.tracks(of: .video).isEmpty == false
        guard hasVideo else { return "it has no video" }
        return "its video cannot be decoded: \(lastDecodingError?.cause ?? "for no known reason")"
    }
}
