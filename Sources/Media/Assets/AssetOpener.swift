// SPDX-License-Identifier: Apache-2.0

/// Opens an asset's demuxer: the seam between assets and whatever reads them.
///
/// - Concurrency: any thread; each call blocks its thread until the container has been probed.
package protocol AssetOpener: Sendable {
    /// - Parameter cancellation: ends the call soon, and any later blocking call of the demuxer,
    ///   once it is cancelled.
    func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer
}
