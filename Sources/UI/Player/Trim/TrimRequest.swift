// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

/// A request of a `TrimView` to save a part of a file. The program that shows the view performs it,
/// because views do not depend on encoders.
///
/// - Concurrency: a value; any thread.
public struct TrimRequest: Sendable {
    /// The file as it was when it was opened.
    package var source: TrimSource
    /// The media in the file.
    public var asset: Asset
    /// The part to save. It begins at a frame, and ends where a frame begins or the file ends.
    public var range: MediaTimeRange
    /// A Boolean value that indicates whether frames are encoded, so that the file begins and ends
    /// exactly at the range. If false, samples are copied between keyframes.
    public var isExact: Bool
    /// A Boolean value that indicates whether the source is replaced by the part.
    package var replacesSource: Bool
}
