// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A source of a display's vsyncs.
///
/// A source always continues to deliver vsyncs. If it loses its display, it uses a timer, and
/// reports that in the `source` of its events.
///
/// - Concurrency: `waitForVsync` is called on the display link's thread only; `stop` may be called
///   on any thread.
/// - Corresponds to: the internals of `CVDisplayLink`; X Present `NotifyMSC`,
///   `DRM_IOCTL_WAIT_VBLANK`.
public protocol VsyncSource: AnyObject, Sendable {
    /// The period that the display reports. It is the initial value of the estimate.
    var nominalPeriod: MediaTime { get }

    /// The exact times of all vsyncs if they follow a schedule; nil if they are measured and must
    /// be estimated.
    var schedule: VsyncSchedule? { get }

    /// Waits for the next vsync. If vsyncs have passed that were not returned yet, the latest of
    /// them is returned at once. Earlier vsyncs are skipped, and never queued.
    ///
    /// - Returns: nil after `stop`.
    func waitForVsync() -> VsyncEvent?

    /// Ends the source. A wait that is in progress soon returns nil. All later waits return nil,
    /// too.
    func stop()
}
