// SPDX-License-Identifier: Apache-2.0

import Playhead
public import PlayheadAssets
import PlayheadComposing
public import PlayheadCompositions
import PlayheadEffects
public import PlayheadImages
public import PlayheadVideoCompositions

extension VideoComposition {
    /// Creates the composition that shows all enabled video tracks of a composition, the first on
    /// top, in its natural size.
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
    /// - Throws: The first fault of the composition in the reader's range of time.
    /// - Corresponds to: `AVAssetReaderVideoCompositionOutput(videoTracks:videoSettings:)`.
    public func addVideoCompositionOutput(
        _ composition: VideoComposition
    ) throws(VideoCompositionError) -> AssetReaderVideoCompositionOutput {
        try AssetReaderVideoCompositionOutput(
            composition, of: self, engine: VideoComposition.engine)
    }
}

extension ImageGenerator {
    /// Creates a generator of images of a video composition. Images are exact: a tolerance has no
    /// effect, and neither has a track.
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
