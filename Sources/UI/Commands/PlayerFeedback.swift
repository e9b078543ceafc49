// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// Feedback on screen after a command.
package enum PlayerFeedback: Sendable, Hashable {
    case text(String, duration: MediaTime? = nil)
    /// The position, as text and as a bar.
    case progress
    /// The number of the current frame and its time in milliseconds.
    case frame
    /// A value as text, and its position within its range, from 0 to 1.
    case level(String, Double)
}
