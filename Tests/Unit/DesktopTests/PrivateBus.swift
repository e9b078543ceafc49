// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadThreads

/// A session bus of the tests' own.
///
/// - Ownership: the bus ends with the object.
final class PrivateBus {
    /// A Boolean value that indicates whether a bus can be started; for conditions of tests.
    static let isAvailable = ProcessRunner.has("dbus-daemon")
    static let absence = "needs dbus-daemon"

    let address: String
    private let process: ChildProcess
    private let folder = TemporaryFolder()

    init() throws {
        let socket = folder.appending("bus").path
        address = "unix:path=\(socket)"
        process = try ChildProcess([
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)",
            "--print-address",
        ])
        // The bus prints its address once it listens, which is after the socket's file exists.
        let deadline = ContinuousClock.now + .seconds(30)
        let pause = Monitor(())
        while process.standardOutput.isEmpty, !process.hasEnded, ContinuousClock.now < deadline {
            pause.wait(nanoseconds: 5_000_000) { _ in Never?.none }
        }
    }

    deinit { process.kill() }
}
