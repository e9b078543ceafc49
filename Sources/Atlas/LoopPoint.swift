// SPDX-License-Identifier: Apache-2.0

/// The part of a video that is repeated.
public struct LoopPoint: Sendable, Hashable, Codable {
    /// The index of the first frame.
    public var start: Int
    /// The number of frames in the loop, after which the first one is shown again.
    public var length: Int
    /// The difference between the first frame and the frame after the last one: the root mean
    /// square of the differences of their samples, in code values.
    public var seam: Double
    /// The mean difference of consecutive frames in the loop. A seam that is smaller than this is
    /// not visible.
    public var step: Double
    /// The number of frames at the end of the loop that are dissolved into the frames before its
    /// first frame; 0 if the loop needs no dissolve.
    public var dissolve: Int

    /// Creates a loop point.
    public init(start: Int, length: Int, seam: Double, step: Double, dissolve: Int = 0) {
        self.start = start
        self.length = length
        self.seam = seam
        self.step = step
        self.dissolve = dissolve
    }

    /// A Boolean value that indicates whether the jump from the last frame to the first one is
    /// invisible: the loop has a dissolve, or `seam` is at most `step` or at most 2, a difference
    /// that compression alone can cause.
    public var isSeamless: Bool { dissolve > 0 || seam <= max(step, 2) }

    /// Returns the frames of the video from which a frame of the loop is made.
    ///
    /// - Parameter index: The number of the loop's frame, from 0; may be greater than `length`.
    /// - Returns: The index of a frame. In a dissolve, also the index of the frame that is mixed
    ///   into it, and the share of that frame, from 0 to 1. Outside a dissolve the share is 0.
    public func source(of index: Int) -> (frame: Int, other: Int, share: Double) {
        let place = index % length
        let passed = place - (length - dissolve) + 1
        guard passed > 0, start + place >= length else { return (start + place, start + place, 0) }
        return (start + place, start + place - length, Double(passed) / Double(dissolve + 1))
    }
}
