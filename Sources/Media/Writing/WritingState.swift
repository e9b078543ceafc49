// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The state of a writer as a value type, without a lock or a thread. Its methods correspond to
/// calls of the writer, and their results are decisions.
///
/// A call that is refused does not change the state.
struct WritingState: Sendable {
    /// The state of writing the file.
    enum Phase: Sendable, Hashable {
        case unknown
        case writing
        /// All inputs are finished, and the file is being completed.
        case finishing
        /// The complete file is being moved into place. This can no longer be cancelled.
        case committing
        case completed
        case cancelled
        case failed(MediaWritingError)
    }

    /// The state of one input.
    struct Input: Sendable {
        let mediaType: MediaType
        /// A Boolean value that indicates whether the input receives compressed samples.
        let isPassthrough: Bool
        /// The number of time units per second. Times are rounded to these units.
        var timescale: Int32
        /// The largest number of units from one frame to the next that the container stores.
        var maximumFrameTicks = Int64.max
        var isFinished = false
        /// The time of the last frame or cue, the end of the last audio buffer, or the decode time
        /// of the last packet; nil before the first sample.
        var lastTime: MediaTime?
    }

    let subject: String
    private(set) var phase = Phase.unknown
    private(set) var sessionStart: MediaTime?
    private(set) var sessionEnd: MediaTime?
    private(set) var inputs: [Input] = []

    /// The maximum difference between the start of an audio buffer and the end of the previous one
    /// that counts as rounding. Many containers store times in milliseconds.
    static let audioTolerance = MediaTime(value: 5, timescale: 1000)
    /// The maximum time from the start of the session to a sample: 68 years, which all containers
    /// can store.
    static let maximumTime = MediaTime(value: Int64(Int32.max), timescale: 1)
    /// The longest gap in audio that is filled with silence. A longer gap means that the session
    /// was started at a time of another clock.
    static let maximumGap = MediaTime(value: 86_400, timescale: 1)

    init(subject: String) { self.subject = subject }

    // MARK: - The file

    mutating func add(_ input: Input) throws(MediaWritingError) {
        try requireUnstarted("add inputs before startWriting")
        inputs.append(input)
    }

    mutating func start() throws(MediaWritingError) {
        try requireUnstarted("call startWriting once")
        guard !inputs.isEmpty else {
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the writer has no input",
                remedy: "add an input before startWriting")
        }
        phase = .writing
    }

    private func requireUnstarted(_ rule: String) throws(MediaWritingError) {
        guard phase == .unknown else {
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the writer has been started",
                remedy: "\(rule); use a new writer for another file")
        }
    }

    mutating func startSession(at time: MediaTime) throws(MediaWritingError) {
        try requireWriting()
        guard time.isNumeric else { throw invalidTime(time) }
        guard sessionStart == nil else {
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the session has already been started",
                remedy: "start only one session for each file")
        }
        sessionStart = time
    }

    mutating func endSession(at time: MediaTime) throws(MediaWritingError) {
        try requireWriting()
        guard time.isNumeric else { throw invalidTime(time) }
        guard let start = sessionStart else { throw noSession }
        guard sessionEnd == nil else {
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the session has already been ended",
                remedy: "end it only once")
        }
        guard time > start else {
            throw MediaWritingError(
                .outOfOrder, subject: subject,
                cause: "the session ends at \(time), but starts at \(start)",
                remedy: "end it after its start")
        }
        for input in inputs where !input.isPassthrough {
            // For audio, this is the end of the last buffer, which may equal the end of the
            // session.
            guard let last = input.lastTime,
                input.mediaType == .audio ? last > time : last >= time
            else { continue }
            throw MediaWritingError(
                .outOfOrder, subject: subject,
                cause: "the session ends at \(time), but \(input.mediaType.rawValue) at \(last) "
                    + "was appended",
                remedy: "call endSession(atSourceTime:) before you append later samples")
        }
        sessionEnd = time
    }

    mutating func finish() throws(MediaWritingError) {
        try requireWriting()
        phase = .finishing
        for index in inputs.indices { inputs[index].isFinished = true }
    }

    /// Returns a Boolean value that indicates whether the file may be moved into place, which
    /// requires that writing has neither been cancelled nor failed. If it may, the phase becomes
    /// `committing`.
    mutating func commit() -> Bool {
        guard phase == .finishing else { return false }
        phase = .committing
        return true
    }

    mutating func complete() {
        if phase == .committing { phase = .completed }
    }

    /// Cancels writing. Returns a Boolean value that indicates whether the file was being written.
    @discardableResult
    mutating func cancel() -> Bool {
        switch phase {
        case .unknown, .writing, .finishing:
            defer { phase = .cancelled }
            return phase != .unknown
        case .committing, .completed, .cancelled, .failed: return false
        }
    }

    mutating func fail(_ error: MediaWritingError) {
        switch phase {
        case .unknown, .writing, .finishing, .committing: phase = .failed(error)
        case .completed, .cancelled, .failed: break
        }
    }

    /// A Boolean value that indicates whether the writer's threads have work to do.
    var isActive: Bool { phase == .writing || phase == .finishing }

    // MARK: - Samples

    /// Admits a frame, a packet with its decode time, or a cue.
    mutating func admit(_ index: Int, at time: MediaTime) throws(MediaWritingError) {
        try requireOpen(index)
        guard time.isNumeric else { throw invalidTime(time) }
        guard let start = sessionStart else { throw noSession }
        guard time - start <= Self.maximumTime else { throw tooLate(time, start) }
        let input = inputs[index]
        if let last = input.lastTime {
            // Subtitles may begin at the same time. Packets are already rounded to the time unit of
            // the file from which they come.
            let isLater = input.mediaType == .subtitle ? time >= last : time > last
            guard isLater else { throw outOfOrder(time, last) }
            // Frames before the start are not checked, because at most the last of them is shown.
            if input.mediaType == .video, !input.isPassthrough, last >= start {
                try requireStorable(last - start, time - start, input, last, time)
            }
        }
        inputs[index].lastTime = time
    }

    /// Throws an error if the times of two frames, in the units of the container, are the same or
    /// too far apart.
    private func requireStorable(
        _ earlier: MediaTime, _ later: MediaTime, _ input: Input, _ last: MediaTime,
        _ time: MediaTime
    ) throws(MediaWritingError) {
        let (count, isTooLarge) = tick(later, input.timescale).subtractingReportingOverflow(
            tick(earlier, input.timescale))
        let unit = "1/\(input.timescale) s"
        guard isTooLarge || count > 0 else {
            throw MediaWritingError(
                .outOfOrder, subject: subject,
                cause: "frames at \(last) and \(time) have the same time in units of \(unit)",
                remedy: "set a higher mediaTimeScale, use .mp4 or .mov, or leave out frames")
        }
        guard !isTooLarge, count <= input.maximumFrameTicks else {
            throw MediaWritingError(
                .invalidSample, subject: subject,
                cause: "frames at \(last) and \(time) are too far apart for units of \(unit)",
                remedy: "set a lower mediaTimeScale, or append the earlier frame again in between")
        }
    }

    /// Admits audio. A buffer without a time follows the previous buffer.
    mutating func admitAudio(
        _ index: Int, at time: MediaTime, duration: MediaTime
    ) throws(MediaWritingError) {
        try requireOpen(index)
        guard let start = sessionStart else { throw noSession }
        var time = time
        if time == .invalid { time = inputs[index].lastTime ?? start }
        guard time.isNumeric else { throw invalidTime(time) }
        guard time - start <= Self.maximumTime,
            time - (inputs[index].lastTime ?? start) <= Self.maximumGap
        else { throw tooLate(time, start) }
        if let last = inputs[index].lastTime {
            guard time >= last - Self.audioTolerance else { throw outOfOrder(time, last) }
            if time - last <= Self.audioTolerance { time = last }
        }
        inputs[index].lastTime = time + duration
    }

    mutating func markFinished(_ index: Int) throws(MediaWritingError) {
        try requireWriting()
        inputs[index].isFinished = true
    }

    /// Returns a time in units of a timescale, rounded to the nearest unit.
    func tick(_ time: MediaTime, _ timescale: Int32) -> Int64 {
        time.converted(toTimescale: timescale).value
    }

    // MARK: - Refusals

    private func requireOpen(_ index: Int) throws(MediaWritingError) {
        try requireWriting()
        guard !inputs[index].isFinished else {
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the input was marked as finished",
                remedy: "append before markAsFinished")
        }
    }

    private func requireWriting() throws(MediaWritingError) {
        switch phase {
        case .writing: return
        case .unknown:
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the writer has not been started",
                remedy: "call startWriting first")
        case .finishing, .committing, .completed:
            throw MediaWritingError(
                .wrongState, subject: subject, cause: "the writer has been finished",
                remedy: "append before finishWriting")
        case .cancelled:
            throw MediaWritingError(
                .cancelled, subject: subject, cause: "writing was cancelled")
        case .failed(let error): throw error
        }
    }

    private var noSession: MediaWritingError {
        MediaWritingError(
            .noSession, subject: subject, cause: "no session was started",
            remedy: "call startSession(atSourceTime:) before the first sample")
    }

    private func invalidTime(_ time: MediaTime) -> MediaWritingError {
        MediaWritingError(
            .invalidSample, subject: subject, cause: "expected a numeric time, found \(time)",
            remedy: "give each sample its time")
    }

    private func tooLate(_ time: MediaTime, _ start: MediaTime) -> MediaWritingError {
        MediaWritingError(
            .invalidSample, subject: subject,
            cause: "a sample at \(time) is too far from the earlier ones, in a session that "
                + "starts at \(start)",
            remedy: "start the session at the time of the first sample, on the same clock")
    }

    private func outOfOrder(_ time: MediaTime, _ last: MediaTime) -> MediaWritingError {
        MediaWritingError(
            .outOfOrder, subject: subject,
            cause: "the sample at \(time) is not after the previous one, which reaches \(last)",
            remedy: "append the samples of an input in order")
    }
}
