// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// What lies under a film: transparency, a colour, or a pattern to see transparency against.
enum BackgroundArgument: String, CaseIterable, ExpressibleByArgument {
    case none, black, checkerboard

    /// The same, as a scene knows it.
    var scene: Scene.Background {
        switch self {
        case .none: .color([0, 0, 0, 0])
        case .black: .black
        case .checkerboard: .checkerboard()
        }
    }
}
