// SPDX-License-Identifier: Apache-2.0

public import PlayheadCompositions
public import PlayheadPlayback

extension Player {
    /// Continues with the content that a composition has now, at the same time: for a composition
    /// that is edited while it plays. The picture has no black and no repeated frame there, and the
    /// audio no click.
    ///
    ///     try composition.removeTimeRange(silence)
    ///     player.continueCurrentItem(with: composition)
    ///
    /// The content is that of the moment of the call; it is seen and heard as soon as it has been
    /// decoded, usually within 50 milliseconds. It belongs to another item, which has the settings
    /// of the current one and becomes the current one. While playback is paused, the frame changes.
    /// If edits follow more quickly than they can be decoded, some are left out, but not the last.
    ///
    /// Show the player with a `PlayerVideoOutput`, which goes from item to item. Without a current
    /// item, the composition becomes the current item.
    ///
    /// - Concurrency: any thread. The call does not wait for decoding.
    /// - Errors: as those of any current item; `PlayerItem.error`.
    public func continueCurrentItem(with composition: Composition) {
        let asset = composition.makeAsset()
        let item =
            currentItem.map { PlayerItem(asset: asset, copying: $0) } ?? PlayerItem(asset: asset)
        continueCurrentItem(with: item)
    }
}
