// SPDX-License-Identifier: Apache-2.0

import PlayheadTime

/// The rate of playback, and the timeline's starts, declared starts and prerolls.
///
/// - Concurrency: a value.
struct StartState: Sendable {
    typealias Completion = @Sendable (Bool) -> Void

    /// The rate that the player has requested; 0 once nothing is left to play.
    private(set) var desiredRate = 0.0
    /// The factor that is applied to the rate; see `PlayerItem.rateAdjustment`.
    private(set) var rateAdjustment = 1.0
    /// The correction of the offset from the present; see `OffsetPursuit`.
    private(set) var pursuit = OffsetPursuit()
    private(set) var isRunning = false
    /// A Boolean value that indicates whether the timeline runs because its start was declared,
    /// regardless of what has been decoded.
    private(set) var isDeclared = false
    /// The time of the timebase's master at which the timeline starts or has started.
    private(set) var masterTime = MediaTime.zero
    /// The item time at `masterTime`.
    private(set) var position = MediaTime.zero
    /// The item time until which another item is heard, although the frames of this item are shown
    /// already; `invalid` if it starts alone.
    private(set) var audioStart = MediaTime.invalid
    /// A start that was declared before the item was open.
    private(set) var pending: DeclaredStart?
    /// The completions of prerolls. Each is called once: with true when everything that can be
    /// decoded in advance has been decoded, or with false if something else ends the preroll first.
    private(set) var prerolls: [Completion] = []
    /// A Boolean value that indicates whether a start waits for a device to wake.
    private(set) var isWaking = false

    /// The rate of the timebase while it runs.
    var timelineRate: Double { desiredRate * rateAdjustment * pursuit.factor }

    mutating func setRate(_ rate: Double) { desiredRate = rate }
    mutating func setAdjustment(_ factor: Double) { rateAdjustment = factor }
    mutating func correct(_ error: MediaTime) { pursuit.update(error) }
    mutating func endCorrection() { pursuit.reset() }

    /// Records that the timeline runs from an item time on, and that it starts at a time of its
    /// master.
    mutating func run(from position: MediaTime, at masterTime: MediaTime, isDeclared: Bool) {
        self.position = position
        self.masterTime = masterTime
        isRunning = true
        if isDeclared { self.isDeclared = true }
        isWaking = false
    }

    /// Sets the time from which audio is heard. Returns whether it has changed.
    mutating func setAudioStart(_ time: MediaTime) -> Bool {
        defer { audioStart = time }
        return audioStart != time
    }

    /// Records that the timeline is stopped.
    mutating func stop() {
        isRunning = false
        isDeclared = false
    }

    mutating func wake() { isWaking = true }
    mutating func endWaking() { isWaking = false }
    mutating func setMasterTime(_ time: MediaTime) { masterTime = time }
    mutating func declare(_ start: DeclaredStart) { pending = start }
    mutating func forgetDeclared() { pending = nil }
    mutating func add(_ preroll: @escaping Completion) { prerolls.append(preroll) }

    /// Returns the completions of the prerolls. They are returned only once.
    mutating func takePrerolls() -> [Completion] {
        defer { prerolls = [] }
        return prerolls
    }
}
