// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadPlayback
public import PlayheadVideoCompositions

extension PlayerItem {
    /// The composition that draws the video of the item; nil, the default, to show the frames of
    /// the preferred video track unchanged.
    ///
    /// It can be exchanged at any time, also during playback. The new composition applies from the
    /// visible frame on, and the timeline continues:
    ///
    ///     item.videoComposition = titles
    ///     player.play()
    ///     …
    ///     titles.animationTool = VideoCompositionAnimationTool(over: [other])
    ///     item.videoComposition = titles
    ///
    /// Composed frames are identical to those of a composition output, an image generator and an
    /// export. They are drawn ahead of time, on a thread of the item. The tracks of the item remain
    /// those of the asset.
    ///
    /// If an item will have a composition at some time, set one before you give the item to a
    /// player. An item that was opened without a composition reads its packets again when it gets
    /// its first one, which interrupts audio for a moment.
    ///
    /// - Concurrency: any thread. The call does not wait for drawing.
    /// - Errors: if the composition has an error when the item is opened, the item fails. If it has
    ///   one during playback, it is reported once, and the earlier composition remains. Call
    ///   `VideoComposition.isValid(for:timeRange:validationDelegate:)` to find errors.
    /// - Corresponds to: `AVPlayerItem.videoComposition`.
    public var videoComposition: VideoComposition? {
        get { (videoComposing as? ItemComposition)?.demuxers.live.composition }
        set {
            if let composition = videoComposing as? ItemComposition {
                composition.demuxers.live.composition = newValue
                videoComposingHasChanged()
            } else if let newValue {
                setVideoComposing(ItemComposition(newValue))
            }
        }
    }
}

/// The video composition of an item.
private struct ItemComposition: ItemVideoComposing {
    let demuxers: ComposingDemuxers

    init(_ composition: VideoComposition?) {
        demuxers = ComposingDemuxers(
            LiveVideoComposition(composition), engine: VideoComposition.engine)
    }

    var isActive: Bool { demuxers.live.composition != nil }

    func demuxer(
        over base: any Demuxer, of asset: Asset, cancellation: Cancellation
    ) throws(MediaError) -> any Demuxer {
        try demuxers.demuxer(over: base, of: asset, cancellation: cancellation)
    }

    func copy() -> ItemComposition { ItemComposition(demuxers.live.composition) }
}
