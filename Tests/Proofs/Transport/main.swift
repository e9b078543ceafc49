// SPDX-License-Identifier: Apache-2.0

import Glibc

// Runs random histories of the transport against its model, from a seed on, and prints the number
// of events; or, with status 1, the first difference. `Scripts/prove/transport` builds it with the
// transport, and with faulty copies of it.

guard CommandLine.arguments.count == 3, let events = Int(CommandLine.arguments[1]),
    let first = UInt64(CommandLine.arguments[2])
else {
    print("expected a number of events and a first seed")
    exit(2)
}

var count = 0
var seed = first
while count < events {
    var history = TransportHistory(SplitMix64(seed: seed))
    let failure = history.run()
    count += history.eventCount
    if let failure {
        print("difference after \(count) events, seed \(seed): \(failure)")
        exit(1)
    }
    seed += 1
}
print(count)
