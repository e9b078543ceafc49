// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options for cameras.
struct CaptureOptions: ParsableArguments {
    @Flag(help: "Mirror the video of a camera. Recordings are not mirrored.")
    var mirror = false

    @Option(
        help: ArgumentHelp(
            "Record the camera, without effects, into a new .mkv, .mp4 or .mov file.",
            discussion:
                "If the program is killed, the file that ends with .part plays up to its last "
                + "two seconds.", valueName: "file"),
        completion: .file())
    var record: String?

    /// The first option in use that needs a camera, for error texts; nil if no such option is used.
    var used: String? { mirror ? "--mirror" : record != nil ? "--record" : nil }
}
