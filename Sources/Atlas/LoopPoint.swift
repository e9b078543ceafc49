// SPDX-License-Identifier: Apache-2.0

/// From where to where a film is repeated.
public struct LoopPoint: Sendable, Hashable, Codable {
    /// The first frame.
    public var start: Int
    /// How many frames there are until the first one comes again.
    public var length: Int
    /// How far the frame that would follow the last is from the first: the root of the mean of
    /// squared differences, in code values.
    public var seam: Double
    /// How far consecutive frames are from each other there, on average: a seam below this is not
    /// seen.
    public var step: Double
    /// Frames at the end that are dissolved into those before the first; 0 where the film agrees
    /// with itself.
    public var dissolve: Int

    public init(start: Int, length: Int, seam: Double, step: Double, dissolve: Int = 0) {
        self.start = start
        self.length = length
        self.seam = seam
        self.step = step
        self.dissolve = dissolve
    }

    /// Whether nobody sees where it begins again: the seam is no larger than what changes from
    /// frame to frame, or than what codecs leave behind; or it is dissolved.
    public var isSeamless: Bool { dissolve > 0 || seam <= max(step, 2) }

    /// What is seen as frame `index` of the loop, from 0 on: a frame of the film, and where frames
    /// are dissolved another one, and how much of it.
    public func source(of index: Int) -> (frame: Int, other: Int, share: Double) {
        let place = index % length
        let passed = place - (length - dissolve) + 1
        guard passed > 0, start + place >= length else { return (start + place, start + place, 0) }
        return (start + place, start + place - length, Double(passed) / Double(dissolve + 1))
    }
}
