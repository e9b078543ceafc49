// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import Testing

extension XServer {
    static let absence: Comment = "needs Xvfb and xdotool (apt install xvfb xdotool)"

    /// The number of the frame that a part of the screen shows, or nil without one.
    func frameNumber(in part: FrameNumberStrip.Area) throws -> Int? {
        try withScreen { bytes, bytesPerRow in
            FrameNumberStrip.read(
                fromRGBA: bytes, width: Self.width, height: Self.height, bytesPerRow: bytesPerRow,
                picture: part, sourceWidth: Films.width, sourceHeight: Films.height)
        }
    }
}
