// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The record of a frame on its way to the screen. Times are host times in nanoseconds; nil if they
/// were not measured.
package struct FrameRecord: Sendable, Hashable {
    /// The number of the frame in the ledger, counted from 0. The ledger sets it.
    package internal(set) var index: Int64 = 0
    /// The item time at which the frame begins, without an epoch.
    package var itemTime: MediaTime
    /// The `DisplayTick.sequence` of the tick in which the frame was drawn, which is the number of
    /// the tick's vsync.
    package var sequence: Int64
    /// The vsync period when the frame was drawn, in nanoseconds.
    package var period: Int64
    /// The source of vsync times when the frame was drawn.
    package var source: TimingSource

    /// The time at which the decoder output the frame.
    package var decodedHostTime: Int64?
    /// The time at which all planes of the frame had been uploaded to textures.
    package var uploadedHostTime: Int64?
    /// The time at which the last draw call returned. The GPU may finish drawing later.
    package var drawnHostTime: Int64?
    /// The time at which the swap returned.
    package var swappedHostTime: Int64?
    /// The vsync at which the frame first became visible.
    package internal(set) var presentedHostTime: Int64?

    /// The time that the display reported for the vsync at `presentedHostTime`. It has jitter,
    /// which `presentedHostTime` does not have.
    package internal(set) var reportedHostTime: Int64?

    /// The duration of the upload, in nanoseconds.
    package var uploadDuration: Int64?
    /// The duration of drawing, in nanoseconds.
    package var drawDuration: Int64?

    /// The durations of uploading and drawing on the GPU, in nanoseconds, measured for a recent
    /// frame.
    package var gpuUploadDuration: Int64?
    package var gpuDrawDuration: Int64?

    /// The vsync at which the frame should first have been visible; see `FramePacer.slot`.
    package var slotHostTime: Int64
    /// The number of frames that were due between the previous frame and this one, but never shown.
    package var droppedBefore: Int
    /// The number of vsyncs at which this frame was shown again although the next one was due.
    package internal(set) var repeatCount = 0
    /// The reason why frames before this frame were dropped, or why this frame was repeated.
    package var lossCause = FrameLossCause.none

    /// Creates the record of a frame that was drawn in `tick`.
    ///
    /// - Parameter slotHostTime: The vsync at which the frame should have been visible. Pass nil
    ///   while the video is paused, because a frame is then due when it is drawn.
    package init(
        itemTime: MediaTime, slotHostTime: MediaTime?, tick: DisplayTick, droppedBefore: Int = 0
    ) {
        self.itemTime = itemTime
        self.droppedBefore = droppedBefore
        sequence = tick.sequence
        source = tick.source
        period = tick.duration.nanoseconds ?? 0
        self.slotHostTime = (slotHostTime ?? tick.targetTimestamp).nanoseconds ?? 0
    }

    /// The delay of the frame relative to its slot, in nanoseconds; negative if it was early.
    package var slotError: Int64? { presentedHostTime.map { $0 - slotHostTime } }

    /// A Boolean value that indicates whether the frame became visible at a later vsync than its
    /// slot.
    package var isLate: Bool { (slotError ?? 0) > period / 2 }
}

extension FrameRecord {
    /// The number of words that a record takes in the ledger's ring.
    static let wordCount = 20

    /// Writes the record as words. In this form it is passed between threads without a lock.
    func write(_ store: (Int, Int64) -> Void) {
        let words: (Int64?) -> Int64 = { $0 ?? .min }
        store(0, index)
        store(1, itemTime.value)
        store(2, Int64(itemTime.timescale) << 32 | Int64(itemTime.flags.rawValue))
        store(3, sequence)
        store(4, period)
        store(5, Int64(TimingSource.allCases.firstIndex(of: source) ?? 0))
        store(6, words(decodedHostTime))
        store(7, words(uploadedHostTime))
        store(8, words(drawnHostTime))
        store(9, words(swappedHostTime))
        store(10, words(presentedHostTime))
        store(11, words(uploadDuration))
        store(12, words(drawDuration))
        store(13, slotHostTime)
        store(14, Int64(droppedBefore))
        store(15, Int64(repeatCount))
        store(16, words(gpuUploadDuration))
        store(17, words(gpuDrawDuration))
        store(18, Int64(FrameLossCause.allCases.firstIndex(of: lossCause) ?? 0))
        store(19, words(reportedHostTime))
    }

    init(words load: (Int) -> Int64) {
        func time(_ word: Int) -> Int64? {
            let value = load(word)
            return value == .min ? nil : value
        }
        index = load(0)
        let scaleAndFlags = load(2)
        itemTime = .invalid
        itemTime.value = load(1)
        itemTime.timescale = Int32(truncatingIfNeeded: scaleAndFlags >> 32)
        itemTime.flags = MediaTime.Flags(rawValue: UInt32(truncatingIfNeeded: scaleAndFlags))
        sequence = load(3)
        period = load(4)
        source = TimingSource.allCases[Int(load(5))]
        decodedHostTime = time(6)
        uploadedHostTime = time(7)
        drawnHostTime = time(8)
        swappedHostTime = time(9)
        presentedHostTime = time(10)
        uploadDuration = time(11)
        drawDuration = time(12)
        slotHostTime = load(13)
        droppedBefore = Int(load(14))
        repeatCount = Int(load(15))
        gpuUploadDuration = time(16)
        gpuDrawDuration = time(17)
        lossCause = FrameLossCause.allCases[Int(load(18))]
        reportedHostTime = time(19)
    }
}
