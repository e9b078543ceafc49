// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// What a person is told of a command that was performed, for a moment.
package enum PlayerFeedback: Sendable, Hashable {
    case text(String, duration: MediaTime? = nil)
    /// Where the film is now, in words and as a bar.
    case progress
    /// Which frame the film stands at, and its time to the millisecond, as long as this is seen.
    case frame
    /// A number in words, and where it lies between its bounds, from 0 to 1.
    case level(String, Double)
}
