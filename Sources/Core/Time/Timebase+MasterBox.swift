// SPDX-License-Identifier: Apache-2.0

extension Timebase {
    /// A box that holds a master. Readers reach the box through one atomic word.
    final class MasterBox: Sendable {
        let master: Master
        /// The identity of the clock; nil for a timebase.
        let clock: ObjectIdentifier?

        init(_ master: Master) {
            self.master = master
            clock = if case .clock(let clock) = master { ObjectIdentifier(clock) } else { nil }
        }
    }
}
