// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// A background for the video: transparency, black, or a pattern that shows transparency.
enum BackgroundArgument: String, CaseIterable, ExpressibleByArgument {
    case none, black, checkerboard

    /// The background as a value of a scene.
    var scene: Scene.Background {
        switch self {
        case .none: .color([0, 0, 0, 0])
        case .black: .black
        case .checkerboard: .checkerboard()
        }
    }
}
