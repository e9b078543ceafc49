// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import PlayheadVideoCompositions
import PlayheadWriting

extension ExportSource {
    /// Returns the source with another video track, which describes the frames of a video
    /// composition.
    func composed(by composition: VideoComposition?) -> ExportSource {
        guard let composition, var track = video else { return self }
        let timing = description.tracks.first {
            $0.id == composition.sourceTrackIDForFrameTiming
        }
        let size = composition.pixelSize
        track.formatDescription.video = FormatDescription.Video(
            width: size.width, height: size.height, pixelFormat: "rgba",
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .rgb, range: .full, primaries: composition.colorSpace.primaries,
                    transfer: .sRGB)))
        track.frameDuration = composition.frameDuration
        track.timeUnit =
            timing?.timeUnit ?? MediaTime(value: 1, timescale: composition.frameDuration.timescale)
        return ExportSource(self, video: track)
    }

    /// Returns the properties of the frames for the plan: those of the first frame, or those of
    /// composed frames if a video composition draws any.
    func picture(first: PixelBuffer, of composition: VideoComposition?) -> ExportPicture {
        guard let composition, let track = video, var drawn = ExportPicture(track),
            composition.drawsEveryPicture
                || composition.instructions.contains(where: { $0.plainTrackID == nil })
        else { return ExportPicture(first) }
        drawn.sampleFormat.hasAlpha = composition.instructions.contains {
            $0.backgroundColor.w < 1
        }
        return drawn
    }
}
