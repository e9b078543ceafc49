// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for cameras and microphones.
struct CaptureOptions: ParsableArguments {
    @Flag(help: "Mirror the video of a camera. Recordings are not mirrored.")
    var mirror = false

    @Option(
        help: ArgumentHelp(
            "Record the camera, without effects, and the microphone into a new .mkv, .mp4 or .mov "
                + "file; a microphone alone also into .wav, .flac or .m4a.",
            discussion:
                "If the program is killed, a playable file that ends with .part remains. It may "
                + "lack the last two seconds.", valueName: "file"),
        completion: .file())
    var record: String?
}
