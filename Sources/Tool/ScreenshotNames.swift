// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Names for screenshots in the current folder: `playhead-0001.png` and on, none of them taken.
struct ScreenshotNames {
    private var count = 0

    mutating func next() -> String {
        while true {
            count += 1
            let name = String(format: "playhead-%04d.png", count)
            if !FileManager.default.fileExists(atPath: name) { return name }
        }
    }
}
