// SPDX-License-Identifier: Apache-2.0

/// An object that opens an asset's demuxer: the interface between assets and the code that reads
/// them.
///
/// - Concurrency: any thread; each call blocks its thread until the container has been probed.
package protocol AssetOpener: Sendable {
    /// Opens a demuxer.
    ///
    /// - Parameter cancellation: An object that, once cancelled, soon ends this call and later
    ///   blocking calls of the demuxer.
    func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer
}
