// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Requests to quit: Ctrl-C, `kill` or a closed terminal. This is for work that polls for such a
/// request, and then saves its results.
///
/// - Concurrency: any thread; one thread installs the handlers.
enum Interruption {
    /// The time of the first request, in seconds; 0 if there was no request.
    private static let requestTime = Atomic(0)

    /// A Boolean value that indicates whether there was a request since `watch()`.
    static var isRequested: Bool { requestTime.load(ordering: .relaxed) != 0 }

    /// Installs handlers that turn signals into requests. If saving the results takes too long, a
    /// second signal ends the program at once. It has an effect only two seconds after the first
    /// one, because `timeout` sends two signals together. Signals that are ignored, such as SIGHUP
    /// under `nohup`, stay ignored.
    static func watch() {
        // This is initialised here, because a signal handler must not do it.
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

    /// Returns whether a signal is ignored. The parent process may have caused that.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        let handler = action.__sigaction_handler.sa_handler
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
