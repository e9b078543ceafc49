// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadUI

/// A real-time display that polls, at each vsync, the frames that outputs have for the next one.
///
/// - Concurrency: one thread.
/// - Ownership: the display link ends with `end()`.
final class VsyncWatch {
    /// The frame that one output had for one vsync.
    struct Sighting {
        var sequence: Int64
        /// The host time of the requested vsync.
        var target: MediaTime
        var itemTime: MediaTime
        /// The number in the pixels of the frame; nil if there was none.
        var frame: Int?
    }

    /// Results that the link's thread writes, and that the caller takes after the thread has ended.
    private final class Recording: @unchecked Sendable {
        // Unchecked: used only by the link's thread until that has been joined.
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

    /// Starts polling.
    ///
    /// - Parameter seesPictures: whether to copy frames and read their numbers.
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

    /// Ends polling; returns the sightings of each output, in the given order.
    func end() -> [[Sighting]] {
        link.invalidate()
        return recording.sightings
    }
}
