// SPDX-License-Identifier: Apache-2.0

/// The receiver of the segments of a writer.
///
/// - Concurrency: called on the thread that writes, one segment after another. Writing waits
///   meanwhile.
/// - Corresponds to: `AVAssetWriterDelegate`.
public protocol AssetWriterDelegate: AnyObject, Sendable {
    /// Receives a segment: the initialization segment first, then the others in the order of their
    /// times.
    func assetWriter(_ writer: AssetWriter, didOutput segment: AssetWriterSegment)
}
