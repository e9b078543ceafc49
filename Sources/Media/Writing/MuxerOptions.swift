// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// The properties of a file as a whole.
package struct MuxerOptions: Sendable {
    /// Title, artist and the like.
    package var metadata: [MetadataItem] = []
    /// The chapters, by time.
    package var chapters: [Chapter] = []
    /// The duration of a fragment, or `invalid` for a file that is completed at its end.
    package var fragmentInterval = MediaTime.invalid
    /// A Boolean value that indicates whether the index stands before the samples.
    package var movesIndexToFront = false

    package init() {}
}
