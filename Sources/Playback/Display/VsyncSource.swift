// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A source of a display's vsyncs.
///
/// A source is never silent for long: if it loses its display it continues with a timer, and
/// reports that in the `source` of its events.
///
/// - Concurrency: `waitForVsync` is called only on the display link's thread; `stop` on any.
/// - Corresponds to: the internals of `CVDisplayLink`; X Present `NotifyMSC`,
///   `DRM_IOCTL_WAIT_VBLANK`.
public protocol VsyncSource: AnyObject, Sendable {
    /// The period that the display reports; the estimate starts from it.
    var nominalPeriod: MediaTime { get }

    /// The exact times of all vsyncs if they are scheduled; nil if they are measured and must be
    /// estimated.
    var schedule: VsyncSchedule? { get }

    /// Waits for the next vsync. If one has passed that was not reported yet, the latest is
    /// returned at once. Earlier vsyncs are skipped, never queued.
    ///
    /// - Returns: nil after `stop`.
    func waitForVsync() -> VsyncEvent?

    /// Ends the source: a wait in progress soon returns nil, as do all later ones.
    func stop()
}
