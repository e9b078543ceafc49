// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// The state of the controls: the elements under the pointer, pressed, focused and open. The state,
/// the model and the layout determine the appearance.
struct ControlsState: Sendable, Equatable {
    /// The preview above the scrubber while the pointer is over it.
    struct Preview: Sendable, Equatable {
        /// The place along the scrubber, from 0 to 1.
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
    /// The item of the open menu under the pointer.
    var hoveredItem: Int?
    /// The item in the first row of the open menu.
    var firstItem = 0
    var preview: Preview?
}
