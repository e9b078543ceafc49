// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Requests to quit, by Ctrl-C, `kill` or a closed terminal, for work that polls and then saves its
/// results.
///
/// - Concurrency: any thread; one thread installs the handlers.
enum Interruption {
    /// The second in which the first request came; 0 if there was none.
    private static let requestTime = Atomic(0)

    /// A Boolean value that indicates whether a request has come since `watch()`.
    static var isRequested: Bool { requestTime.load(ordering: .relaxed) != 0 }

    /// Installs handlers, so that signals become requests. A second signal two seconds later or
    /// more quits at once, for work that takes too long; `timeout` sends two at once. Signals that
    /// are ignored, as SIGHUP is under `nohup`, stay ignored.
    static func watch() {
        // Initialised here, since a signal handler must not do it.
        _ = isRequested
        ExitDeadline.prepare()
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                let (now, first) = (time(nil), Interruption.requestTime.load(ordering: .relaxed))
                if first == 0 {
                    Interruption.requestTime.store(now, ordering: .relaxed)
                    ExitDeadline.start(for: number)
                } else if now - first >= 2 {
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Returns whether a signal is ignored, as the parent process may have set.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
