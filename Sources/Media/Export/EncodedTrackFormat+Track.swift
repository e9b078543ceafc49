// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import PlayheadWriting

extension EncodedTrackFormat {
    /// Creates the format of a track whose compressed samples are copied.
    init(_ track: AssetTrack, parameters: any AnyObject & Sendable) {
        self.init(
            mediaType: track.mediaType, parameters: parameters,
            timescale: max(1, track.timeUnit.timescale))
        frameDuration = track.frameDuration
        languageTag = track.languageTag
        title = track.title
        isEnabled = track.isDefault
        if let video = track.formatDescription.video { attachments = video.attachments }
    }
}
