// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadTime

extension PlayerItem {
    /// The distance from the present at which a live stream or a network camera plays.
    public enum LatencyPolicy: Sendable, Hashable {
        /// The newest frame is shown as soon as it is decoded. Audio may have gaps, and streams in
        /// segments may stall.
        case newest
        /// The distance from the present is kept, also after stalls.
        case offset(MediaTime)
        /// The distance is the one that the server recommends, or that suits the source. Playback
        /// continues where it stalled or, if that has left the playlist, at the oldest segment.
        /// This is the default.
        case smooth
    }

    /// The distance from the present, as a policy. Setting it sets `configuredTimeOffsetFromLive`
    /// and `automaticallyPreservesTimeOffsetFromLive`. An offset that is not a number stands for
    /// `smooth`.
    ///
    /// - Concurrency: any thread.
    public var latencyPolicy: LatencyPolicy {
        get {
            let offset = configuredTimeOffsetFromLive
            guard offset.isNumeric else { return .smooth }
            return offset > .zero ? .offset(offset) : .newest
        }
        set {
            switch newValue {
            case .newest: configuredTimeOffsetFromLive = .zero
            case .offset(let offset):
                configuredTimeOffsetFromLive = offset.isNumeric ? max(offset, .zero) : .invalid
            case .smooth: configuredTimeOffsetFromLive = .invalid
            }
            automaticallyPreservesTimeOffsetFromLive = configuredTimeOffsetFromLive.isNumeric
        }
    }
}
