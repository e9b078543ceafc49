// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadPlayback

extension PlayerItemVideoOutput {
    /// Creates an output for one of the video tracks of an item. The output enables the track. If
    /// this happens during playback, the track's frames appear as soon as they have been read.
    ///
    /// While the item has no such track, or the track is disabled or cannot be decoded, there are
    /// no frames.
    public convenience init(track: AssetTrack) { self.init(trackID: track.id) }
}
