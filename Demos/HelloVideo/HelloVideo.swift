// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A video in a window, with audio and keyboard control, in three lines.
@main
struct HelloVideo {
    @MainActor static func main() {
        do {
            let film = CommandLine.arguments.dropFirst().first ?? "Media/greenscreen.mp4"
            let window = try PlayerWindow(asset: URLAsset(film))
            window.player.play()
            MainLoop.shared.run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }
}
