// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// Something that knows when a display refreshes, and can wait for it.
///
/// A source never goes silent for long: one that loses its display goes on with a timer, and says
/// so by the `source` of its events.
///
/// - Concurrency: `waitForVsync` is called on the display link's thread only; `stop` on any.
/// - Corresponds to: what `CVDisplayLink` hides; X Present `NotifyMSC`, `DRM_IOCTL_WAIT_VBLANK`.
public protocol VsyncSource: AnyObject, Sendable {
    /// The period that the display is said to have; the estimate starts from it.
    var nominalPeriod: MediaTime { get }

    /// The exact times of all vsyncs, where they follow a plan; nil where they are measured and
    /// have to be estimated.
    var schedule: VsyncSchedule? { get }

    /// Reports the latest vsync that has not been reported yet, at once if it has passed already,
    /// else when it comes. Vsyncs before it are skipped, never queued.
    ///
    /// - Returns: nil after `stop`.
    func waitForVsync() -> VsyncEvent?

    /// Ends the source: a wait that is under way returns, soon, with nil, and so do all later ones.
    func stop()
}
