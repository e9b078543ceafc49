// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// A film in a window, with sound, keys, and an effect on `e`.
@main
struct HelloVideo {
    @MainActor static func main() throws {
        guard let path = CommandLine.arguments.dropFirst().first else {
            print("usage: HelloVideo FILE")
            return
        }
        let chromaKey = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
        try chromaKey.set(.float(0.3), for: "tolerance")
        let window = try PlayerWindow(
            url: URL(fileURLWithPath: path), effects: [chromaKey])
        window.player.play()
        MainLoop.shared.run()
    }
}
