// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The part of the transport that controls decoding: generations, seeks and the direction.
///
/// - Concurrency: a value.
struct SeekState: Sendable {
    /// The current generation of packets and frames. It increases with every seek.
    private(set) var generation = 0
    /// The requested seek, until it lands.
    private(set) var requested: Seek?
    /// The seek that the threads perform: `requested`, unless the requested seek was deferred.
    private(set) var performed: Seek?
    /// A requested seek that may continue with the packets in the packet queue. The queue decides
    /// whether that is the shortest way.
    private(set) var redirecting: Seek?
    /// A Boolean value that indicates whether the demuxer still has to move for `performed`.
    private(set) var demuxerMustMove = false
    /// A Boolean value that indicates whether a frame of `performed` has been shown.
    private(set) var hasShown = false
    /// The time to which a declared start moved the playhead without a seek, until decoding has
    /// reached it.
    private(set) var jump: MediaTime?
    /// The earliest time whose frame the video decoder can still show without going back.
    private(set) var reach: MediaTime?
    /// The host time of the last request, in nanoseconds.
    private(set) var lastRequest = Int64.min
    /// The direction in which the item is decoded, and the newest reversal.
    private(set) var direction = PlaybackDirection.forward
    private(set) var reversal: Reversal?
    private(set) var hasReverseThread = false
    /// The maximum size of decoded frames for reverse playback, in bytes.
    private(set) var reverseByteLimit = Self.defaultReverseByteLimit
    /// The time up to which frames may be inexact, because some were skipped.
    private(set) var exactFrom = MediaTime.negativeInfinity
    /// The number of jumps of the playhead.
    private(set) var jumpCount = 0

    /// The default size: 512 MiB, which is 172 frames of 1920 x 1080 at 8 bits. A group of 250
    /// frames is decoded in three parts.
    static let defaultReverseByteLimit = 512 << 20

    /// The interval between seeks, in nanoseconds, below which they count as scrubbing.
    private static let scrubInterval: Int64 = 150_000_000

    /// A Boolean value that indicates whether the newest seek waits for the seek in progress.
    var isPutOff: Bool { requested.map { $0.generation != generation } ?? false }

    /// Begins a generation of frames for a seek, in the forward direction.
    mutating func begin(_ seek: Seek, leadTime: MediaTime) {
        generation += 1
        var seek = seek
        seek.generation = generation
        seek.leadTime = max(seek.leadTime, leadTime)
        requested = seek
        performed = seek
        direction = .forward
        exactFrom = .negativeInfinity
        jump = nil
    }

    /// Requests that the demuxer moves for the seek that has begun.
    mutating func moveDemuxer() {
        demuxerMustMove = true
        hasShown = false
        reach = nil
    }

    /// Begins a generation of frames for reverse playback.
    ///
    /// - Returns: A Boolean value that indicates whether the thread for reverse playback has to be
    ///   started.
    mutating func turnBack(at time: MediaTime) -> Bool {
        generation += 1
        direction = .reverse
        exactFrom = .negativeInfinity
        requested = nil
        performed = nil
        reach = nil
        demuxerMustMove = false
        reversal = Reversal(generation: generation, time: time, byteLimit: reverseByteLimit)
        defer { hasReverseThread = true }
        return !hasReverseThread
    }

    /// Makes the newest seek wait until the seek in progress has shown a frame or has landed.
    mutating func putOff(_ seek: Seek) { requested = seek }

    mutating func startRedirecting(_ seek: Seek) { redirecting = seek }

    /// Removes and returns the seek for which the packet queue was asked to continue.
    mutating func endRedirecting() -> Seek? { redirecting.take() }

    /// Ends the requested seek at its target.
    mutating func land() {
        requested = nil
        performed = nil
    }

    /// Discards all seeks of an item that is not open or has ended.
    mutating func forget() {
        requested = nil
        performed = nil
        demuxerMustMove = false
    }

    /// Returns the completion of the requested seek. It is returned only once.
    mutating func takeCompletion() -> (@Sendable (Bool) -> Void)? {
        defer { requested?.completion = nil }
        return requested?.completion
    }

    /// Returns whether a request comes while a seek is in progress or soon after the previous
    /// request, and records its time.
    mutating func isSoon(at nanoseconds: Int64) -> Bool {
        defer { lastRequest = nanoseconds }
        return requested != nil || nanoseconds - max(lastRequest, 0) < Self.scrubInterval
    }

    /// Moves the target to another time within the tolerances, or to the frame of a step.
    mutating func moveTarget(to time: MediaTime) {
        performed?.target = time
        performed?.framesBefore = 0
        guard !isPutOff else { return }
        requested?.target = time
        requested?.framesBefore = 0
    }

    /// Moves a target that is before the start of the media to that start.
    mutating func clampTarget(to first: MediaTime) {
        requested?.target = first
        performed?.target = first
    }

    mutating func startLate() { performed?.startsLate = true }

    /// Makes the seek land at the first frame, because there is nothing earlier.
    mutating func startAtOldest() {
        performed?.startsLate = true
        performed?.toleranceAfter = .positiveInfinity
    }

    mutating func demuxerHasBegun() { demuxerMustMove = false }
    mutating func show() { hasShown = true }
    mutating func setReach(_ time: MediaTime?) { reach = time }
    mutating func setExact(from time: MediaTime) { exactFrom = time }
    mutating func countJump() { jumpCount += 1 }
    mutating func setJump(_ time: MediaTime) { jump = time }
    mutating func decoded(to end: MediaTime) { if let jump, end > jump { self.jump = nil } }
    mutating func setReverseByteLimit(_ limit: Int) { reverseByteLimit = limit }
}
