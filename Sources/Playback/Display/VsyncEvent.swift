// SPDX-License-Identifier: Apache-2.0

public import PlayheadTime

/// One vsync as its source reports it.
public struct VsyncEvent: Sendable, Hashable {
    /// Host time of the vsync, as measured: jittery where the source is.
    public var hostTime: MediaTime
    /// The source's count of vsyncs.
    public var sequence: Int64
    /// Where time and count come from; a source may change it on the way, see `VsyncSource`.
    public var source: TimingSource

    public init(hostTime: MediaTime, sequence: Int64, source: TimingSource) {
        self.hostTime = hostTime
        self.sequence = sequence
        self.source = source
    }
}
