// SPDX-License-Identifier: Apache-2.0

extension Timebase {
    /// A consistent state of a timebase: the line of its time, and its master.
    struct Anchor {
        private(set) var line: AnchorLine
        var box: MasterBox {
            didSet { line.clock = box.clock }
        }

        init(
            time: MediaTime, masterTime: MediaTime, rate: Double, holds: Bool = false,
            box: MasterBox
        ) {
            line = AnchorLine(
                time: time, masterTime: masterTime, rate: rate, holds: holds, clock: box.clock)
            self.box = box
        }

        init(_ line: AnchorLine, box: MasterBox) {
            self.line = line
            self.box = box
        }

        var time: MediaTime {
            get { line.time }
            set { line.time = newValue }
        }

        var masterTime: MediaTime {
            get { line.masterTime }
            set { line.masterTime = newValue }
        }

        var rate: Double {
            get { line.rate }
            set { line.rate = newValue }
        }

        /// A Boolean value that indicates whether the time is held until the master reaches the
        /// anchor.
        var holds: Bool {
            get { line.holds }
            set { line.holds = newValue }
        }

        /// Returns the time of the line when the master reads `masterTime`.
        ///
        /// - Parameter hold: false to compute the time as if it were not held.
        func time(atMasterTime masterTime: MediaTime, heeding hold: Bool = true) -> MediaTime {
            line.time(atMasterTime: masterTime, heeding: hold)
        }

        /// Returns the master's time at which the line reads `time`; nil at rate 0.
        func masterTime(at time: MediaTime) -> MediaTime? { line.masterTime(at: time) }
    }
}
