// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// A PulseAudio server of a test's own, which plays into nothing.
///
/// - Concurrency: any thread.
/// - Ownership: the server ends with the object.
final class SoundServer: Sendable {
    static let isAvailable = ProcessRunner.has("pulseaudio")
    static let absence: Comment = "needs pulseaudio (apt install pulseaudio)"

    /// What to set `PULSE_SERVER` to.
    let address: String
    private let folder = TemporaryFolder()
    private let process: ChildProcess

    init() throws {
        let socket = folder.appending("native").path
        address = "unix:\(socket)"
        // A home of its own keeps its cookie and its state out of the user's.
        process = try ChildProcess(
            [
                "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=30",
                "-L", "module-null-sink sink_name=null",
                "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)",
            ], environment: ["HOME": folder.url.path, "XDG_RUNTIME_DIR": folder.url.path])
        try eventually("pulseaudio to listen") { FileManager.default.fileExists(atPath: socket) }
    }

    /// Ends it at once, as a crash would.
    func kill() { process.kill() }
}
