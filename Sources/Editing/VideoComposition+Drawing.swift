// SPDX-License-Identifier: Apache-2.0

import Playhead
public import PlayheadAssets
import PlayheadComposing
public import PlayheadCompositions
public import PlayheadEffects
public import PlayheadImages
public import PlayheadVideoCompositions

extension VideoComposition {
    /// Creates a video composition that shows all enabled video tracks of a composition in its
    /// natural size, with the first track on top.
    ///
    /// - Corresponds to: `videoComposition(withPropertiesOf:)`.
    public init(propertiesOf composition: Composition) {
        let state = composition.store.snapshot
        self.init(propertiesOf: state.description, size: state.naturalSize)
    }

    /// Creates a composition that shows the first enabled video track of an asset, with effects.
    /// The first effect is applied first.
    ///
    /// - Throws: The error of opening the asset.
    /// - Corresponds to: `AVMutableVideoComposition(asset:applyingCIFiltersWithHandler:)`.
    public init(
        applying effects: [EffectInstance], to asset: Asset
    ) async throws(MediaError) {
        var description = try await asset.load(.description)
        let video = description.tracks(of: .video).first { $0.isEnabled && !$0.isAttachedPicture }
        description.tracks = video.map { [$0] } ?? []
        self.init(propertiesOf: description)
        if let video { setEffects(effects, ofTrack: video.id) }
    }

    /// Returns an asset whose video is drawn by the composition, and whose audio and subtitles are
    /// those of `asset`. Use it like the asset of a file, in a player item, an asset reader, an
    /// image generator or an export session:
    ///
    ///     let item = PlayerItem(asset: rules.makeAsset(from: composition.makeAsset()))
    ///
    /// The frames are identical to those of an `AssetReaderVideoCompositionOutput`. They are drawn
    /// on the thread that decodes. If the composition has errors, loading the asset throws the
    /// first one.
    ///
    /// - Corresponds to: `AVPlayerItem.videoComposition`. Here, the composition of an asset cannot
    ///   be replaced.
    public func makeAsset(from asset: Asset) -> Asset {
        ComposedAsset(asset, composition: self, engine: Self.engine)
    }

    /// The engine that draws the frames of video compositions without a display.
    static var engine: some VideoCompositionEngine {
        LayerCompositionEngine { name throws(EffectError) in try EffectLibrary.load(name) }
    }
}

extension VideoCompositionTransition.Kind {
    /// Returns the effect of the transition.
    package func makeEffect() throws(EffectError) -> Effect {
        try TransitionEffects.effect(of: self) { name throws(EffectError) in
            try EffectLibrary.load(name)
        }
    }
}

extension AssetReader {
    /// Adds an output that delivers the frames of a video composition.
    ///
    /// - Throws: The first error in the composition within the reader's time range.
    /// - Corresponds to: `AVAssetReaderVideoCompositionOutput(videoTracks:videoSettings:)`.
    public func addVideoCompositionOutput(
        _ composition: VideoComposition
    ) throws(VideoCompositionError) -> AssetReaderVideoCompositionOutput {
        try AssetReaderVideoCompositionOutput(
            composition, of: self, engine: VideoComposition.engine)
    }
}

extension ImageGenerator {
    /// Creates a generator for images of a video composition. Images always have the exact
    /// requested times. The tolerances and the choice of a track have no effect.
    ///
    /// - Corresponds to: `AVAssetImageGenerator.videoComposition`.
    public convenience init(
        asset: Asset, videoComposition: VideoComposition, options: Options = Options()
    ) {
        self.init(asset: asset, options: options) { () throws(MediaError) in
            try VideoCompositionFinder(
                asset: asset, composition: videoComposition, engine: VideoComposition.engine)
        }
    }
}
