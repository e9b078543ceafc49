// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// The times for which frames will be requested.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `AVVideoCompositionRenderHint`.
public struct VideoCompositionRenderHint: Sendable, Hashable {
    /// The time of the first frame.
    public var startTime: MediaTime
    /// The end of the range; equal to the start time after a seek.
    public var endTime: MediaTime
}
