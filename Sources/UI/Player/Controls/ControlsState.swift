// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The state of the controls: the elements that are hovered, pressed, focused and open. The
/// appearance follows from this state, the model and the layout.
struct ControlsState: Sendable, Equatable {
    /// The preview above the scrubber while the pointer is over it.
    struct Preview: Sendable, Equatable {
        /// The position along the scrubber, from 0 to 1.
        var fraction: Double
        var time: String
        var chapter: String?
        var picture: PixelBuffer?

        static func == (left: Preview, right: Preview) -> Bool {
            left.fraction == right.fraction && left.time == right.time
                && left.chapter == right.chapter && left.picture === right.picture
        }
    }

    var hovered: ControlElement?
    var pressed: ControlElement?
    var focused: ControlElement?
    var openMenu: ControlMenuKind?
    /// The index of the open menu's item under the pointer.
    var hoveredItem: Int?
    /// The index of the item in the first row of the open menu.
    var firstItem = 0
    var preview: Preview?
}
