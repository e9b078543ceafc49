// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW
import CPlayheadWayland
import PlayheadDisplay
import PlayheadTime
import Synchronization

/// The vsyncs of a window's display, calculated from the times at which a Wayland compositor
/// presented the window's frames.
///
/// - Concurrency: see `VsyncSource`.
/// - Corresponds to: the protocol presentation-time, `wp_presentation`.
final class WaylandVsyncSource: MonitoredVsyncSource, @unchecked Sendable {
    // Unchecked: only the link's thread uses `vsyncs` and `output`. `presentation` is a constant,
    // and its own methods say which thread calls them.
    private let presentation: WaylandPresentation
    private let isStopped = Atomic<Bool>(false)
    private let nominalNanoseconds: Atomic<Int64>
    private var vsyncs: PresentedVsyncs
    /// The monitor of the last report.
    private var output: UnsafeRawPointer?
    private let outputHandler: @Sendable () -> Void

    /// Creates a source.
    ///
    /// - Parameter outputHandler: A closure that is called on the display link's thread when
    ///   another monitor shows the window.
    init(
        _ presentation: WaylandPresentation, nominalPeriod: MediaTime,
        outputHandler: @escaping @Sendable () -> Void
    ) {
        self.presentation = presentation
        self.outputHandler = outputHandler
        let nanoseconds = max(1, nominalPeriod.nanoseconds ?? 16_666_667)
        nominalNanoseconds = Atomic(nanoseconds)
        vsyncs = PresentedVsyncs(nominalPeriod: nanoseconds)
    }

    var schedule: VsyncSchedule? { nil }

    /// The period before the first frame was presented.
    var nominalPeriod: MediaTime {
        get { MediaTime(nanoseconds: nominalNanoseconds.load(ordering: .relaxed)) }
        set { nominalNanoseconds.store(max(1, newValue.nanoseconds ?? 1), ordering: .relaxed) }
    }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        presentation.wake()
    }

    func waitForVsync() -> VsyncEvent? {
        vsyncs.nominalPeriod = nominalNanoseconds.load(ordering: .relaxed)
        let current = presentation.output
        if current != output {
            output = current
            outputHandler()
        }
        while !isStopped.load(ordering: .acquiring) {
            while let report = presentation.takeReport() {
                vsyncs.add(presentedAt: report.time, refresh: report.refresh)
            }
            let now = HostClock.nanoseconds
            if let event = vsyncs.takeVsync(at: now) { return event }
            presentation.wait(nanoseconds: max(0, vsyncs.nextVsync(after: now) - now))
        }
        return nil
    }
}
