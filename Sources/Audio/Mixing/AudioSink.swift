// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// A place where sound is heard: a sound server's stream, or a stand-in for one.
///
/// A sink owns the clock of its device, and pulls: when it needs sound it asks its source for the
/// frames that will be heard at a stated time of that clock. So whoever answers knows exactly which
/// sample falls on which moment, and nobody above has to correct for latency.
///
/// A sink starts out paused. While it is paused, moved to another device, or broken, its clock goes
/// on, so that pictures never stand still for want of sound.
///
/// - Concurrency: any thread; calls are short, and none of them waits for the device.
/// - Corresponds to: an `AVAudioEngine`'s output node; `AVSampleBufferAudioRenderer`'s device side.
public protocol AudioSink: AnyObject, Sendable {
    /// What the sink takes; constant.
    var format: AudioFormat { get }
    /// The device's clock: the master for everything that is to be in step with the sound.
    var clock: any MediaClock { get }
    /// How long sound takes from the source to the ear, as measured, or as asked for until then.
    /// An anchor that lies at least this far in the future loses no sample.
    var latency: MediaTime { get }
    /// By how much later than the sink is asked for it sound is let be heard, on top of `latency`; negative
    /// for earlier, zero by default. What the timeline has passed by less than that is still wanted.
    var delay: MediaTime { get }
    /// How often the device ran dry since the sink was made, because it was handed sound too late; 0
    /// by default, for devices that cannot. Any thread.
    var underruns: Int { get }
    /// What the sink is doing; may be polled.
    var status: AudioSinkStatus { get }
    /// Whether sound that is resumed now can be heard `latency` later; true by default. False for a device
    /// that sleeps, and as long as it is being woken, which takes some of them seconds. `resume()` wakes it,
    /// with silence as long as the timeline stands, and when it is awake, or is waited for no longer, this is
    /// true and `onStatusChange` is called: a timeline that starts then loses nothing of its sound.
    var isAwake: Bool { get }

    /// Takes sound from `source` from now on, in place of any earlier one. Does not resume.
    ///
    /// - Parameter onStatusChange: called after `status` has changed, on a thread of the sink's or within
    ///   the call that changed it, perhaps with a lock of the caller's held: a wake-up, for the receiver to
    ///   look at `status` from a thread of its own. It does not wait.
    func start(_ source: any AudioSource, onStatusChange: @escaping @Sendable () -> Void)
    /// Lets the sound run.
    func resume()
    /// Halts the sound, and drops what the device has been given but not played, so that nothing
    /// stale is heard after the next `resume()`.
    func pause()
    /// Halts the sound and lets go of the source. The clock goes on.
    func stop()

    /// Has `handler` called when the system wants the sound to make room for something more urgent,
    /// such as a call, and when that is over; on a thread of the sink's. In place of any earlier one.
    /// Sinks that are never asked to do so ignore it.
    func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void)
}

extension AudioSink {
    public var delay: MediaTime { .zero }
    public var underruns: Int { 0 }
    public var isAwake: Bool { true }

    public func onInterruption(_ handler: @escaping @Sendable (AudioInterruption) -> Void) {}
}

/// What the system asks of whoever plays sound.
///
/// - Corresponds to: `AVAudioSession.InterruptionType`.
public enum AudioInterruption: Sendable, Hashable {
    /// To be silent for a while.
    case began
    /// To go on.
    case ended
}
