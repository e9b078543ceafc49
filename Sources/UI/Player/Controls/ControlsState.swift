// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// What the controls look like besides the film: where the pointer is, what is held, open or reached.
/// Together with a model and a layout it says all; equal states look the same.
struct ControlsState: Sendable, Equatable {
    /// What is seen above the scrubber while the pointer is over it.
    struct Preview: Sendable, Equatable {
        /// Along the scrubber, from 0 to 1.
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
    /// Of the items of the open menu.
    var hoveredItem: Int?
    /// The item that is to be in the first row of the open menu.
    var firstItem = 0
    var preview: Preview?
}
