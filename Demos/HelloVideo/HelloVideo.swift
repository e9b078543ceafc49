// SPDX-License-Identifier: Apache-2.0

import Foundation
import Playhead

/// A film in a window, with sound, keys, and an effect on `e`.
@main
struct HelloVideo {
    @MainActor static func main() {
        do {
            let url = URL(fileURLWithPath: CommandLine.arguments.last ?? "")
            let chromaKey = EffectInstance(try EffectLibrary.effect(named: "chroma_key"))
            try chromaKey.set(.float(0.3), for: "tolerance")
            let window = try PlayerWindow(url: url, effects: [chromaKey])
            window.player.play()
            MainLoop.shared.run()
        } catch {
            print(error)
        }
    }
}
