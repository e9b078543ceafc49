// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// An audio output: a stream of an audio server, or a replacement for one.
///
/// A sink owns the clock of its device. It requests from its source the frames that will be heard
/// at a stated time of that clock. The source therefore knows the exact time of each sample, and no
/// code above the sink has to compensate for latency.
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
    /// The device's clock. It is the master of everything that runs in step with the audio.
    var clock: any MediaClock { get }
    /// The time from the source to the listener's ear. It is the measured time or, before the first
    /// measurement, the requested time. If a timeline is anchored at least this far in the future,
    /// no sample is lost.
    var latency: MediaTime { get }
    /// The delay that is added to `latency`; zero by default. A negative delay plays audio earlier.
    /// With a positive delay, the sink still requests audio that the timeline has passed by less
    /// than the delay.
    var delay: MediaTime { get }
    /// The number of underruns since the sink was created: the times when the device received audio
    /// too late. It is 0 by default, for devices without underruns. Any thread.
    var underruns: Int { get }
    /// The current state of the sink; may be polled.
    var status: AudioSinkStatus { get }
    /// A Boolean value that indicates whether audio that is resumed now can be heard `latency`
    /// later; true by default.
    ///
    /// It is false while a device sleeps and while it wakes, which can take seconds. `resume()`
    /// wakes the device, with silence while the timeline is stopped. When the device is awake, or
    /// the sink gives up waiting, the value becomes true and `onStatusChange` is called. If the
    /// timeline is started after that, no audio is lost.
    var isAwake: Bool { get }

    /// Starts requesting audio from `source`, which replaces any earlier source. Does not resume.
    ///
    /// - Parameter onStatusChange: Called after `status` has changed, on a thread of the sink or
    ///   within the call that changed it, possibly while the caller holds a lock. It only notifies:
    ///   the receiver reads `status` on its own thread, and must not wait in the handler.
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void)
    /// Resumes output.
    func resume()
    /// Pauses output and drops audio that the device received but did not play. No stale audio is
    /// then heard after the next `resume()`.
    func pause()
    /// Stops output and releases the source. The clock continues.
    func stop()

    /// Sets a handler for interruptions: the system requests silence for something more urgent,
    /// such as a call, and later reports the end of the interruption. The handler is called on a
    /// thread of the sink and replaces any earlier handler. A sink that receives no such requests
    /// ignores the handler.
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

/// An event with which the system interrupts an application that plays audio.
///
/// - Corresponds to: `AVAudioSession.InterruptionType`.
public enum AudioInterruption: Sendable, Hashable {
    /// The system requests silence.
    case began
    /// The interruption has ended.
    case ended
}
