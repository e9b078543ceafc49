// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadCompositions
public import PlayheadExport
import PlayheadFFmpeg
import PlayheadVideoCompositions

extension AssetExportSession {
    /// Creates a session that exports an asset with the encoders of FFmpeg.
    public convenience init(asset: Asset, preset: AssetExportPreset) {
        self.init(
            asset: asset, preset: preset, engine: FFmpegWritingEngine(),
            compositionEngine: VideoComposition.engine)
        if case .file(let path)? = (asset as? URLAsset)?.location { sourcePaths = [path] }
    }

    /// Creates a session that exports the current contents of a composition. The video has the
    /// natural size of the composition if that was set. If not, it has the size of the first frame,
    /// rotated upright.
    public convenience init(composition: Composition, preset: AssetExportPreset) {
        let composition = composition.copy()
        self.init(
            asset: composition.makeAsset(), preset: preset, engine: FFmpegWritingEngine(),
            compositionEngine: VideoComposition.engine)
        renderSize = composition.store.snapshot.declaredSize
        let locations = composition.tracks.flatMap(\.segments).compactMap(\.sourceLocation)
        sourcePaths = Set(locations).compactMap {
            if case .file(let path) = $0 { path } else { nil }
        }.sorted()
    }
}
