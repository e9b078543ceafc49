// SPDX-License-Identifier: Apache-2.0

/// The receiver of the segments of a writer.
///
/// - Concurrency: called on the writing thread, one segment after another. Writing waits for each
///   call to return.
/// - Corresponds to: `AVAssetWriterDelegate`.
public protocol AssetWriterDelegate: AnyObject, Sendable {
    /// Called for each segment: first for the initialization segment, then for the others in the
    /// order of their times.
    func assetWriter(_ writer: AssetWriter, didOutput segment: AssetWriterSegment)
}
