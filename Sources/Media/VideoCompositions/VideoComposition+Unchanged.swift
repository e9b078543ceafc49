// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension VideoComposition {
    /// Returns the composition that shows the frames of the preferred video track of an asset
    /// unchanged, whatever their size.
    static func unchanged(_ description: AssetDescription) -> VideoComposition {
        let track = description.preferredTrack(of: .video)
        let size: (width: Double, height: Double) = track?.uprightSize ?? (1, 1)
        let declared = track?.frameDuration ?? .invalid
        var result = VideoComposition(
            renderSize: (max(1, Int(size.width.rounded())), max(1, Int(size.height.rounded()))),
            frameDuration: declared.isNumeric && declared > .zero
                ? declared : MediaTime(value: 1, timescale: 30))
        result.showsFramesUnchanged = true
        result.sourceTrackIDForFrameTiming = track?.id
        result.instructions = [
            VideoCompositionInstruction(
                timeRange: description.shownRange,
                layerInstructions: track.map { [VideoCompositionLayerInstruction(trackID: $0.id)] }
                    ?? [])
        ]
        return result
    }
}
