// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// A vsync, as reported by its source.
public struct VsyncEvent: Sendable, Hashable {
    /// The measured host time of the vsync, with the jitter of the source.
    public var hostTime: MediaTime
    /// The sequence number of the vsync, assigned by the source.
    public var sequence: Int64
    /// The source of the time and the number. It may change; see `VsyncSource`.
    public var source: TimingSource

    /// Creates a report.
    public init(hostTime: MediaTime, sequence: Int64, source: TimingSource) {
        self.hostTime = hostTime
        self.sequence = sequence
        self.source = source
    }
}
