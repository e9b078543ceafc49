// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A vsync as its source reports it.
public struct VsyncEvent: Sendable, Hashable {
    /// The host time of the vsync, as measured; it has the jitter of the source.
    public var hostTime: MediaTime
    /// The source's number of the vsync.
    public var sequence: Int64
    /// The source of time and number; it may change, see `VsyncSource`.
    public var source: TimingSource

    /// Creates a report.
    public init(hostTime: MediaTime, sequence: Int64, source: TimingSource) {
        self.hostTime = hostTime
        self.sequence = sequence
        self.source = source
    }
}
