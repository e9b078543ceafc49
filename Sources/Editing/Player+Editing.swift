// SPDX-License-Identifier: Apache-2.0

public import PlayheadCompositions
public import PlayheadPlayback

extension Player {
    /// Replaces the content of the player with the current content of a composition, and continues
    /// at the same time. Use it for a composition that is edited while it plays. The change is
    /// seamless: no frame is black or repeated, and the audio does not click.
    ///
    ///     try composition.removeTimeRange(silence)
    ///     player.continueCurrentItem(with: composition)
    ///
    /// The player continues with the composition as it is at the call. The new frames appear as
    /// soon as they have been decoded, usually within 50 milliseconds. During playback, the new
    /// audio follows when the audio device has played what it has already taken: after its latency
    /// and another 40 milliseconds. At that moment, a new item with the same settings replaces the
    /// current item. If edits follow each other faster than they can be decoded, some edits are
    /// skipped, but never the last one.
    ///
    /// Show the player with a `PlayerVideoOutput`, which follows the player from item to item. If
    /// there is no current item, the composition becomes the current item.
    ///
    /// - Concurrency: any thread. The call does not wait for decoding.
    /// - Errors: reported by `PlayerItem.error` of the new item.
    public func continueCurrentItem(with composition: Composition) {
        let asset = composition.makeAsset()
        let item =
            currentItem.map { PlayerItem(asset: asset, copying: $0) } ?? PlayerItem(asset: asset)
        continueCurrentItem(with: item)
    }
}
