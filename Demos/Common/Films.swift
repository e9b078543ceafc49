// SPDX-License-Identifier: Apache-2.0

import Foundation
public import PlayheadUI

/// Videos that demos show by default.
public enum Films {
    /// The clip that comes with Playhead: a ball of fur in front of a green screen, with a tune.
    public static var builtIn: Asset { URLAsset(path(of: "greenscreen.mp4")) }

    /// Returns the path of a file in the folder Media of the checkout.
    public static func path(of name: String) -> String {
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
        var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
        // In a checkout, the program is some levels down in the build folder.
        for _ in 0..<5 {
            let path = folder.appendingPathComponent("Media/\(name)").path
            if FileManager.default.fileExists(atPath: path) { return path }
            folder.deleteLastPathComponent()
        }
        return "Media/\(name)"
    }

    /// Returns a synthetic video: colour bars with a moving line, the frame number as blocks, and a
    /// flash and a tick in each second.
    ///
    /// - Parameter configure: changes the description of the video before the video is made.
    public static func synthetic(
        _ name: String, seconds: Int64 = 60, framesPerSecond: Double = 30,
        configure: (inout SyntheticMedia) -> Void = { _ in }
    ) -> Asset {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                frameDuration: MediaTime(
                    seconds: 1 / framesPerSecond, preferredTimescale: 120_000),
                count: Int((Double(seconds) * framesPerSecond).rounded())))
        media.name = name
        configure(&media)
        return SyntheticAsset(media)
    }
}
