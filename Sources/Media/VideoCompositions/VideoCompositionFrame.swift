// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// One frame to draw: its time, its instruction, and the frames that the tracks show at that time.
package struct VideoCompositionFrame: Sendable {
    /// The time of the frame.
    package var time: MediaTime
    /// The time until the next frame.
    package var duration: MediaTime
    /// The instruction at the time.
    package var instruction: VideoCompositionInstruction
    /// The index of the instruction.
    package var instructionIndex: Int
    /// The frames of the required tracks, by `AssetTrack.id`. Tracks that show nothing are left
    /// out.
    package var sourceFrames: [Int: VideoFrame]

    package init(
        time: MediaTime, duration: MediaTime, instruction: VideoCompositionInstruction,
        instructionIndex: Int, sourceFrames: [Int: VideoFrame]
    ) {
        self.time = time
        self.duration = duration
        self.instruction = instruction
        self.instructionIndex = instructionIndex
        self.sourceFrames = sourceFrames
    }

    /// Returns the decoded frame if it can be used unchanged; nil if the frame must be drawn.
    package func plainBuffer(for composition: VideoComposition) -> PixelBuffer? {
        guard !composition.drawsEveryPicture, let id = instruction.plainTrackID,
            let buffer = sourceFrames[id]?.pixelBuffer
        else {
            return nil
        }
        if composition.showsFramesUnchanged { return buffer }
        let size = composition.pixelSize
        let isHDR = buffer.color.transfer == .pq || buffer.color.transfer == .hlg
        guard buffer.width == size.width, buffer.height == size.height,
            buffer.attachments.orientation == .up, buffer.attachments.pixelAspectRatio == .square,
            !buffer.format.hasAlpha, !isHDR, composition.colorSpace == .bt709
        else { return nil }
        return buffer
    }
}
