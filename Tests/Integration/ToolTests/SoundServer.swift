// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// A PulseAudio server of a test's own, whose output is discarded.
///
/// - Concurrency: any thread.
/// - Ownership: the server ends with the object.
final class SoundServer: Sendable {
    static let isAvailable = SoundServerProgram.path != nil
    static let absence = Comment(rawValue: SoundServerProgram.absence)

    /// The value for `PULSE_SERVER`.
    let address: String
    private let folder = TemporaryFolder()
    private let process: ChildProcess

    init() throws {
        let socket = folder.appending("native").path
        address = "unix:\(socket)"
        // A separate home folder keeps its cookie and its state out of the user's.
        process = try ChildProcess(
            [
                SoundServerProgram.path ?? "pulseaudio", "-n", "--daemonize=no",
                "--use-pid-file=no", "--exit-idle-time=600",
                "-L", "module-null-sink sink_name=null",
                "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)",
            ], environment: ["HOME": folder.url.path, "XDG_RUNTIME_DIR": folder.url.path])
        try eventually("pulseaudio to listen") { FileManager.default.fileExists(atPath: socket) }
    }

    /// Kills it, like a crash.
    func kill() { process.kill() }
}
