// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// An audio output: a stream of an audio server, or a replacement for one.
///
/// A sink owns the clock of its device, and pulls: it requests from its source the frames that will
/// be heard at a stated time of that clock. The source therefore knows the exact time of each
/// sample, and no code above has to compensate for latency.
///
/// A sink is initially paused. While it is paused, moved to another device or broken, its clock
/// continues, so that video does not stop for lack of audio.
///
/// - Concurrency: any thread; calls are short and do not wait for the device.
/// - Corresponds to: the output node of an `AVAudioEngine`; the device side of
///   `AVSampleBufferAudioRenderer`.
public protocol AudioSink: AnyObject, Sendable {
    /// The format of the samples that the sink requests; constant.
    var format: AudioFormat { get }
    /// The device's clock, the master for everything that is in step with the audio.
    var clock: any MediaClock { get }
    /// The time from the source to the listener's ear, as measured; before the first measurement,
    /// as requested. An anchor at least this far in the future loses no sample.
    var latency: MediaTime { get }
    /// The delay that is added to `latency`; negative plays earlier, zero by default. Audio that
    /// the timeline has passed by less than the delay is still needed.
    var delay: MediaTime { get }
    /// The number of underruns of the device since the sink was created, because it received audio
    /// too late; 0 by default, for devices without underruns. Any thread.
    var underruns: Int { get }
    /// The current state of the sink; may be polled.
    var status: AudioSinkStatus { get }
    /// A Boolean value that indicates whether audio that is resumed now can be heard `latency`
    /// later; true by default. It is false for a sleeping device, and while it wakes, which takes
    /// some of them seconds. `resume()` wakes it, with silence while the timeline is stopped. After
    /// it has woken, or after the wait is given up, this is true and `onStatusChange` is called: a
    /// timeline that starts then loses no audio.
    var isAwake: Bool { get }

    /// Starts requesting audio from `source`, which replaces any earlier one. Does not resume.
    ///
    /// - Parameter onStatusChange: Called after `status` has changed, on a thread of the sink or
    ///   within the call that changed it, perhaps with a lock of the caller held. It is a wake-up:
    ///   the receiver reads `status` on a thread of its own and does not wait.
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void)
    /// Resumes output.
    func resume()
    /// Pauses output and drops audio that the device received but did not play, so that no stale
    /// audio is heard after the next `resume()`.
    func pause()
    /// Stops output and releases the source. The clock continues.
    func stop()

    /// Sets a handler for requests of the system to interrupt audio for something more urgent, such
    /// as a call, and for the end of the interruption. It is called on a thread of the sink and
    /// replaces any earlier handler. Sinks without such requests ignore it.
    func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void)
}

extension AudioSink {
    /// The default delay of zero.
    public var delay: MediaTime { .zero }
    /// The default count of 0.
    public var underruns: Int { 0 }
    /// The default value of true.
    public var isAwake: Bool { true }

    /// Ignores the handler by default.
    public func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {}
}

/// A request of the system to an application that plays audio.
///
/// - Corresponds to: `AVAudioSession.InterruptionType`.
public enum AudioInterruption: Sendable, Hashable {
    /// Silence is requested.
    case began
    /// The interruption has ended.
    case ended
}
