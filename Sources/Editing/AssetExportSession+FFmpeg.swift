// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadCompositions
public import PlayheadExport
import PlayheadFFmpeg

extension AssetExportSession {
    /// Creates a session for an asset, with the encoders of FFmpeg.
    public convenience init(asset: Asset, preset: AssetExportPreset) {
        self.init(asset: asset, preset: preset, engine: FFmpegWritingEngine())
        if case .file(let path)? = (asset as? URLAsset)?.location { sourcePaths = [path] }
    }

    /// Creates a session for what a composition contains now, in the natural size that was set, or
    /// else in that of its first frame upright.
    public convenience init(composition: Composition, preset: AssetExportPreset) {
        let composition = composition.copy()
        self.init(
            asset: composition.makeAsset(), preset: preset, engine: FFmpegWritingEngine())
        renderSize = composition.store.snapshot.declaredSize
        let locations = composition.tracks.flatMap(\.segments).compactMap(\.sourceLocation)
        sourcePaths = Set(locations).compactMap {
            if case .file(let path) = $0 { path } else { nil }
        }.sorted()
    }
}
