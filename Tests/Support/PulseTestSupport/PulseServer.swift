// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAudio
import PlayheadPulse
import PlayheadTime

/// A private PulseAudio server with a null sink named `null` at 48 kHz in float, for tests of
/// audible output. It does not affect the user's server or settings.
///
///     @Test(.enabled(if: PulseServer.isInstalled, PulseServer.absence))
///
/// - Concurrency: one thread at a time.
/// - Ownership: the server ends with the object; if the test crashes, after ten idle seconds.
package final class PulseServer {
    /// The reason of a test that is skipped without the server.
    package static let absence = SoundServerProgram.absence

    private struct AbsentServer: Error, CustomStringConvertible {
        var description: String { PulseServer.absence }
    }

    /// A Boolean value that indicates whether a server can be started.
    package static let isInstalled = SoundServerProgram.path != nil

    /// The server's address for clients: `PULSE_SERVER`.
    package let address: String
    private let folder: URL
    private var process: ChildProcess?

    /// Starts a server and waits until it answers.
    package init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "playhead-pulse-\(UUID().uuidString.prefix(8))")
        address = "unix:\(folder.path)/native"
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Restarts it after `stop`, at the same address.
    package func start() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let executable = SoundServerProgram.path else { throw AbsentServer() }
        // A separate home folder keeps its cookie and state out of the user's.
        let environment = ["HOME=\(folder.path)", "XDG_RUNTIME_DIR=\(folder.path)"]
        let process = try ChildProcess(
            ["env", "-i", "PATH=/usr/bin:/bin"] + environment + [
                executable, "-n", "--daemonize=no", "--use-pid-file=no",
                "--exit-idle-time=600", "-L",
                "module-null-sink sink_name=null rate=48000 format=float32le channels=2",
                // Unless it is suspended when idle, a null sink renders two seconds of silence at a
                // time while no stream is connected, and the next stream has to wait for them.
                "-L", "module-suspend-on-idle timeout=0", "-L",
                "module-native-protocol-unix auth-anonymous=1 socket=\(folder.path)/native",
            ])
        self.process = process
        let end = HostClock.nanoseconds + 300_000_000_000
        while true {
            do {
                let context = try PulseContext(
                    applicationName: "probe", server: address,
                    end: HostClock.nanoseconds + 60_000_000_000)
                context.close()
                return
            } catch {
                guard HostClock.nanoseconds < end, !process.hasEnded else { throw error }
                usleep(20_000)
            }
        }
    }

    /// Kills it, like a crash.
    package func stop() {
        guard let process, !process.hasEnded else { return }
        process.kill()
        _ = process.wait()
        try? FileManager.default.removeItem(at: folder.appending(path: "native"))
    }
}
