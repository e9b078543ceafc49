// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Whether the program has been asked to end, by Ctrl-C, `kill` or a terminal that is closed: for work
/// that looks now and then, and leaves its results behind before it ends.
///
/// - Concurrency: any thread; handlers are set by one.
enum Interruption {
    /// The second, of the machine's clock, in which it was first asked; 0 until then.
    private static let requestTime = Atomic(0)

    /// Whether it has been asked since `watch()`.
    static var isRequested: Bool { requestTime.load(ordering: .relaxed) != 0 }

    /// Has signals ask from here on, instead of ending the program at once. One that comes seconds
    /// later does end it at once, where what is at hand takes too long; not one that comes with the
    /// first, as `timeout` sends two. What is ignored already, as SIGHUP is under `nohup`, stays so.
    static func watch() {
        // Made here, for a handler must not make it.
        _ = isRequested
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                let (now, first) = (time(nil), Interruption.requestTime.load(ordering: .relaxed))
                if first == 0 {
                    Interruption.requestTime.store(now, ordering: .relaxed)
                } else if now - first >= 2 {
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Whether a signal does nothing, as whoever started the program wanted it.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
