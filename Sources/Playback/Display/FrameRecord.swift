// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// What happened to one picture on its way to the screen. Times are host times in nanoseconds;
/// nil where nobody measured.
package struct FrameRecord: Sendable, Hashable {
    /// The picture's number in the ledger, from 0; the ledger sets it.
    package internal(set) var index: Int64 = 0
    /// The picture's time in its film: when its display begins, without its epoch.
    package var itemTime: MediaTime
    /// The vsync count of the tick in which the picture was drawn.
    package var sequence: Int64
    /// From one vsync to the next, then.
    package var period: Int64
    /// Where the times of vsyncs came from, then.
    package var source: TimingSource

    /// When the decoder had the picture ready.
    package var decodedHostTime: Int64?
    /// When its planes were in textures.
    package var uploadedHostTime: Int64?
    /// When its drawing was done, as far as the program waits for it.
    package var drawnHostTime: Int64?
    /// When the swap had returned.
    package var swappedHostTime: Int64?
    /// The vsync from which the picture was seen.
    package internal(set) var presentedHostTime: Int64?

    /// That vsync as the display itself told it; the time above is freed of the reports' jitter.
    package internal(set) var reportedHostTime: Int64?

    /// How long the upload took.
    package var uploadDuration: Int64?
    /// How long the drawing took.
    package var drawDuration: Int64?

    /// How long the GPU took to take pictures up and to draw, in a frame shortly before.
    package var gpuUploadDuration: Int64?
    package var gpuDrawDuration: Int64?

    /// The vsync in which the picture should have been seen first; see `FramePacer.slot`.
    package var slotHostTime: Int64
    /// Pictures that were due after the one before this and were never shown.
    package var droppedBefore: Int
    /// Vsyncs in which this picture was shown again although the next one was due.
    package internal(set) var repeatCount = 0
    /// Why pictures before it are missing, or it was repeated.
    package var lossCause = FrameLossCause.none

    /// The record of a picture drawn in `tick`, which should have been seen first in the vsync at
    /// `slotHostTime`; nil if the film stands still, where a picture is due when it is drawn.
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

    /// How much later than its slot the picture was seen; negative if earlier.
    package var slotError: Int64? { presentedHostTime.map { $0 - slotHostTime } }

    /// Whether the picture was seen in a later vsync than its slot.
    package var isLate: Bool { (slotError ?? 0) > period / 2 }
}

extension FrameRecord {
    /// Words that a record takes in the ledger's ring.
    static let wordCount = 20

    /// The record as words, by which it crosses threads without a lock.
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
