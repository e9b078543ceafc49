// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// The properties of a whole file that a muxer writes.
package struct MuxerOptions: Sendable {
    /// The metadata, such as title and artist.
    package var metadata: [MetadataItem] = []
    /// The chapters, in the order of their times.
    package var chapters: [Chapter] = []
    /// The duration of a fragment; `invalid` for a file that is completed only at its end.
    package var fragmentInterval = MediaTime.invalid
    /// A Boolean value that indicates whether the index is placed before the samples.
    package var movesIndexToFront = false

    /// The duration of the segments to deliver, or `invalid` for a file.
    package var segmentInterval = MediaTime.invalid

    package init() {}
}
