// SPDX-License-Identifier: Apache-2.0

import Playhead
public import PlayheadAssets
import PlayheadComposing
public import PlayheadCompositions
import PlayheadEffects
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

    /// The engine that draws offline.
    static var engine: some VideoCompositionEngine {
        LayerCompositionEngine { name throws(EffectError) in try EffectLibrary.load(name) }
    }
}

extension AssetReader {
    /// Adds an output of the pictures of a video composition.
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
    /// Creates a generator of images of a video composition. Images have the exact requested times,
    /// so tolerances have no effect; neither has the choice of a track.
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
