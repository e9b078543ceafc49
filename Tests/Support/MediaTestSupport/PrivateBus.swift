// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PlayheadThreads

/// A session bus of the tests' own. It starts no services of the user's desktop.
///
/// - Concurrency: any thread.
/// - Ownership: the bus ends with the object.
package final class PrivateBus: Sendable {
    /// A Boolean value that indicates whether a bus can be started; for conditions of tests.
    package static let isAvailable = ProcessRunner.has("dbus-daemon")
    package static let absence = "needs dbus-daemon"

    /// The address for clients: `DBUS_SESSION_BUS_ADDRESS`.
    package let address: String
    private let process: ChildProcess
    private let folder = TemporaryFolder()

    /// Starts a bus, and waits until it listens.
    package init() throws {
        let socket = folder.appending("bus").path
        address = "unix:path=\(socket)"
        let configuration = folder.appending("bus.conf")
        try Self.configuration(address).write(to: configuration, atomically: false, encoding: .utf8)
        process = try ChildProcess([
            "dbus-daemon", "--config-file=\(configuration.path)", "--nofork", "--nopidfile",
            "--print-address",
        ])
        // The bus prints its address once it listens, which is after the socket's file exists.
        let deadline = ContinuousClock.now + patience
        let pause = Monitor(())
        while process.standardOutput.isEmpty, !process.hasEnded, ContinuousClock.now < deadline {
            pause.wait(nanoseconds: 5_000_000) { _ in Never?.none }
        }
    }

    deinit { process.kill() }

    private static func configuration(_ address: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address)</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }
}
