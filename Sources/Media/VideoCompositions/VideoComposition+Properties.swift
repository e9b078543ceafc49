// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

extension VideoComposition {
    /// The frame duration if no track declares a frame rate.
    private static let defaultFrameDuration = MediaTime(value: 1, timescale: 30)

    /// Creates a composition that shows all enabled video tracks of an asset, with the first one on
    /// top.
    ///
    /// If the asset has one video track, composed frames have the times of that track's frames. If
    /// it has several, the frame rate of the composition is the highest frame rate that a track
    /// declares, or 30 if no track declares one. The render size is the largest width and the
    /// largest height of all tracks. If the asset has no video, the composition has no
    /// instructions.
    ///
    /// - Throws: The error of opening the asset.
    /// - Corresponds to: `videoComposition(withPropertiesOf:)`.
    public init(propertiesOf asset: Asset) async throws(MediaError) {
        self.init(propertiesOf: try await asset.load(.description))
    }

    /// Creates a composition that shows all enabled video tracks.
    ///
    /// - Parameter size: The render size; nil for the largest width and the largest height of all
    ///   tracks.
    package init(
        propertiesOf description: AssetDescription, size: (width: Double, height: Double)? = nil
    ) {
        let tracks = description.tracks(of: .video).filter { $0.isEnabled && !$0.isAttachedPicture }
        let sizes = tracks.map(\.uprightSize)
        let width = size?.width ?? sizes.map(\.width).max() ?? 0
        let height = size?.height ?? sizes.map(\.height).max() ?? 0
        let rates = tracks.filter { $0.nominalFrameRate > 0 }
        let fastest = rates.max { $0.nominalFrameRate < $1.nominalFrameRate }
        self.init(
            renderSize: (Int(width.rounded()), Int(height.rounded())),
            frameDuration: fastest.map(Self.frameDuration) ?? Self.defaultFrameDuration)
        if tracks.count == 1 { sourceTrackIDForFrameTiming = tracks[0].id }
        guard !tracks.isEmpty else { return }
        instructions = [
            VideoCompositionInstruction(
                timeRange: description.shownRange,
                layerInstructions: tracks.map { VideoCompositionLayerInstruction(trackID: $0.id) })
        ]
    }

    private static func frameDuration(of track: AssetTrack) -> MediaTime {
        let declared = track.frameDuration
        if declared.isNumeric, declared > .zero { return declared }
        return MediaTime(
            value: 1000, timescale: Int32(clamping: Int((track.nominalFrameRate * 1000).rounded())))
    }
}

extension AssetTrack {
    /// The size of the upright frames, in square pixels.
    package var uprightSize: (width: Double, height: Double) {
        let size = naturalSize
        return preferredTransform.swapsAxes ? (size.height, size.width) : size
    }
}
