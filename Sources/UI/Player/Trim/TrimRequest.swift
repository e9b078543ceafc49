// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// A request to save a part of a file. The program that shows the window performs it, because the
/// player window does not depend on encoders.
///
/// - Concurrency: a value; any thread.
package struct TrimRequest: Sendable {
    /// The file as it was when it was opened.
    package var source: TrimSource
    /// The media in the file.
    package var asset: Asset
    /// The part to save. It begins at a frame, and ends where a frame begins or the file ends.
    package var range: MediaTimeRange
    /// A Boolean value that indicates whether frames are encoded, so that the file begins and ends
    /// exactly at the range. If false, samples are copied between keyframes.
    package var isExact: Bool
    /// A Boolean value that indicates whether the source is replaced by the part.
    package var replacesSource: Bool
}

/// A function that saves a part of a file, reports its progress from 0 to 1, and returns the path
/// of the new file. After an error or a cancellation there is no new file, and the source is
/// unchanged.
package typealias TrimSaveHandler =
    @MainActor (TrimRequest, _ progress: @escaping @MainActor @Sendable (Double) -> Void)
    async throws -> String
