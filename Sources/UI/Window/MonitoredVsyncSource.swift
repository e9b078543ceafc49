// SPDX-License-Identifier: Apache-2.0

import PlayheadDisplay
import PlayheadTime

/// A source of the vsyncs of the monitor that shows a window.
///
/// - Concurrency: see `VsyncSource`; `nominalPeriod` may be set on any thread.
protocol MonitoredVsyncSource: VsyncSource {
    /// The period that the monitor reports. The window sets it when it moves to another monitor.
    var nominalPeriod: MediaTime { get set }
}
