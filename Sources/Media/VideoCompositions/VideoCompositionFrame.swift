// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadTime

/// One picture to be drawn: its time, its instruction, and the frames on display then.
package struct VideoCompositionFrame: Sendable {
    /// The time of the picture.
    package var time: MediaTime
    /// The time until the next one.
    package var duration: MediaTime
    /// The instruction at the time.
    package var instruction: VideoCompositionInstruction
    /// The index of the instruction.
    package var instructionIndex: Int
    /// The frame of each required track that shows one, by `AssetTrack.id`.
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

    /// Returns the decoded frame that is the picture; nil if it must be drawn.
    package func plainBuffer(for composition: VideoComposition) -> PixelBuffer? {
        guard composition.makeCompositor == nil, let id = instruction.plainTrackID,
            let buffer = sourceFrames[id]?.pixelBuffer
        else {
            return nil
        }
        let size = composition.pixelSize
        let isHDR = buffer.color.transfer == .pq || buffer.color.transfer == .hlg
        guard buffer.width == size.width, buffer.height == size.height,
            buffer.attachments.orientation == .up, buffer.attachments.pixelAspectRatio == .square,
            !buffer.format.hasAlpha, !isHDR, composition.colorSpace == .bt709
        else { return nil }
        return buffer
    }
}
