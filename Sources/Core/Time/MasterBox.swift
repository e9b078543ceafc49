// SPDX-License-Identifier: Apache-2.0

/// A box for the master of a timebase.
final class MasterBox: AnchorMaster {
    let master: Timebase.Master
    let clock: ObjectIdentifier?

    init(_ master: Timebase.Master) {
        self.master = master
        clock = if case .clock(let clock) = master { ObjectIdentifier(clock) } else { nil }
    }
}
