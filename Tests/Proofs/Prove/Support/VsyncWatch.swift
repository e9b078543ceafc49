// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadUI

/// A display in real time that looks, at each vsync, at what outputs have for the coming one.
///
/// - Concurrency: one thread.
/// - Ownership: the display link ends with `end()`.
final class VsyncWatch {
    /// What one output had for one vsync.
    struct Sighting {
        var sequence: Int64
        /// Host time of the vsync that was asked for.
        var target: MediaTime
        var itemTime: MediaTime
        /// The number in the pixels of the picture; nil where there was none.
        var frame: Int?
    }

    /// What the link's thread writes, and the caller takes when that has ended.
    private final class Recording: @unchecked Sendable {
        // Unchecked: touched by the link's thread alone until that has been joined.
        var sightings: [[Sighting]]
        var pictures: [PixelBuffer?]

        init(outputs: Int) {
            sightings = Array(repeating: [], count: outputs)
            pictures = Array(repeating: nil, count: outputs)
        }
    }

    let period: MediaTime
    private let recording: Recording
    private let link: DisplayLink

    /// Begins to look.
    ///
    /// - Parameter seesPictures: whether to take pictures and read their numbers, too.
    init(_ outputs: [PlayerItemVideoOutput], hertz: Int32, seesPictures: Bool = true) {
        let recording = Recording(outputs: outputs.count)
        let schedule = VsyncSchedule(vsyncs: hertz)
        let display = SimulatedDisplay(schedule: schedule)
        self.recording = recording
        period = schedule.period
        link = DisplayLink(source: display, name: "proof-vsync") { tick in
            for (index, output) in outputs.enumerated() {
                let time = output.itemTime(forHostTime: tick.targetTimestamp)
                if seesPictures, output.hasNewPixelBuffer(forItemTime: time),
                    let (picture, _) = output.copyPixelBuffer(forItemTime: time)
                {
                    recording.pictures[index] = picture
                }
                recording.sightings[index].append(
                    Sighting(
                        sequence: tick.sequence, target: tick.targetTimestamp, itemTime: time,
                        frame: recording.pictures[index].flatMap { FrameNumberStrip.read(from: $0) }
                    ))
            }
        }
        link.isPaused = false
    }

    /// Ends looking; what was seen of each output, in the order of their being given.
    func end() -> [[Sighting]] {
        link.invalidate()
        return recording.sightings
    }
}
