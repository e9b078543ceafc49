// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest timeline of a live stream. All openings of an asset share it, so that their times
/// agree although they begin at different segments.
///
/// - Concurrency: any thread.
final class LiveTimelineStore: Sendable {
    private let state = Mutex<LiveTimeline?>(nil)

    var timeline: LiveTimeline? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
