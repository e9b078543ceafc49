// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The PulseAudio server that tests start for themselves.
public enum SoundServerProgram {
    /// The reason of a test that is skipped without the server.
    public static let absence = "needs pulseaudio; Scripts/install-dependencies --tests unpacks it"

    /// The path of the program: the one installed, or the one that `Scripts/install-dependencies` has
    /// unpacked into the build folder where installing it would replace the desktop's server.
    public static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
            .split(separator: ":").map(String.init)
        let unpacked = Checkout.root.appending(path: ".build/sound-server").path
        return (folders + [unpacked]).map { "\($0)/pulseaudio" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
}
