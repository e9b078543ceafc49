// SPDX-License-Identifier: Apache-2.0

extension Timebase {
    /// A clock or a timebase: the master from which a timebase derives its time, or one side of a
    /// conversion of times.
    ///
    /// - Corresponds to: `CMClockOrTimebase`.
    public enum Master: Sendable {
        /// A clock.
        case clock(any MediaClock)
        /// Another timebase.
        case timebase(Timebase)

        /// Returns the master's time when the host clock reads `hostTime`.
        package func time(atHostTime hostTime: MediaTime) -> MediaTime {
            switch self {
            case .clock(let clock): clock.time(atHostTime: hostTime)
            case .timebase(let timebase): timebase.time(atHostTime: hostTime)
            }
        }

        /// The master's current time.
        ///
        /// - Corresponds to: `CMSyncGetTime`.
        package var time: MediaTime {
            switch self {
            case .clock(let clock): clock.time
            case .timebase(let timebase): timebase.time
            }
        }

        /// Returns the host time at which the master reads `time`; nil at rate 0.
        package func hostTime(at time: MediaTime) -> MediaTime? {
            switch self {
            case .clock(let clock): clock.hostTime(at: time)
            case .timebase(let timebase): timebase.hostTime(at: time)
            }
        }

        /// Returns whether this master and `other` are the same clock or the same timebase.
        package func isIdentical(to other: Master) -> Bool {
            switch (self, other) {
            case (.clock(let clock), .clock(let other)): clock === other
            case (.timebase(let timebase), .timebase(let other)): timebase === other
            default: false
            }
        }

        /// The chain of masters: this master, its master, and so on to the clock.
        var chain: [Master] {
            var chain = [self]
            while case .timebase(let timebase)? = chain.last { chain.append(timebase.master) }
            return chain
        }
    }
}

/// Conversions between any two clocks or timebases. They use anchors and rates only, as if no
/// timeline were held.
extension Timebase.Master {
    /// Returns the time of `other` when this master reads `time`. If both have a common master, the
    /// conversion uses only the common master and is exact. Otherwise it converts from one clock to
    /// the other through host time, so the result includes the drift between the clocks. Returns
    /// `invalid` if a timebase along the way has rate 0, because its time does not change.
    ///
    /// - Corresponds to: `CMSyncConvertTime`.
    package func convert(_ time: MediaTime, to other: Timebase.Master) -> MediaTime {
        let (up, down, _) = paths(to: other)
        var time = time
        for case .timebase(let timebase) in up {
            guard let masterTime = timebase.masterTime(at: time) else { return .invalid }
            time = masterTime
        }
        if let clocks = clocks(up, down) { time = clocks.own.convert(time, to: clocks.other) }
        for case .timebase(let timebase) in down.reversed() {
            time = timebase.time(atMasterTime: time)
        }
        return time
    }

    /// Returns the motion relative to `other`: the rate, and one pair of corresponding times. The
    /// rate relative to a stopped timebase is NaN.
    ///
    /// - Corresponds to: `CMSyncGetRelativeRateAndAnchorTime`.
    package func relation(to other: Timebase.Master) -> ClockRelation {
        let (up, down, common) = paths(to: other)
        func rate(_ path: [Timebase.Master]) -> Double {
            path.reduce(1) { rate, part in
                if case .timebase(let timebase) = part { rate * timebase.rate } else { rate }
            }
        }
        func time(_ path: [Timebase.Master], from time: MediaTime) -> MediaTime {
            path.reversed().reduce(time) { time, part in
                if case .timebase(let timebase) = part {
                    timebase.time(atMasterTime: time)
                } else {
                    time
                }
            }
        }
        var (ownRate, otherRate) = (rate(up), rate(down))
        let now: MediaTime
        var otherNow: MediaTime
        if let clocks = clocks(up, down) {
            now = clocks.own.time
            otherNow = clocks.own.convert(now, to: clocks.other)
            ownRate *= clocks.own.rate(relativeTo: clocks.other)
        } else {
            now = common?.time ?? .invalid
            otherNow = now
        }
        if otherRate == 0 { otherRate = .nan }
        otherNow = time(down, from: otherNow)
        return ClockRelation(
            rate: ownRate / otherRate, anchorTime: time(up, from: now),
            relativeAnchorTime: otherNow)
    }

    /// Returns the rate relative to `other`; NaN if `other` is stopped.
    ///
    /// - Corresponds to: `CMSyncGetRelativeRate`.
    package func rate(relativeTo other: Timebase.Master) -> Double { relation(to: other).rate }

    /// Returns the first common master of both chains, and the part of each chain before it. If
    /// there is no common master, returns nil and both complete chains.
    private func paths(
        to other: Timebase.Master
    ) -> (up: [Timebase.Master], down: [Timebase.Master], common: Timebase.Master?) {
        let (own, others) = (chain, other.chain)
        for (up, part) in own.enumerated() {
            if let down = others.firstIndex(where: part.isIdentical) {
                return (Array(own[..<up]), Array(others[..<down]), part)
            }
        }
        return (own, others, nil)
    }

    /// Returns the clocks at the ends of both paths; nil if a path does not end with a clock.
    private func clocks(
        _ up: [Timebase.Master], _ down: [Timebase.Master]
    ) -> (own: any MediaClock, other: any MediaClock)? {
        guard case .clock(let own)? = up.last, case .clock(let other)? = down.last else {
            return nil
        }
        return (own, other)
    }
}
