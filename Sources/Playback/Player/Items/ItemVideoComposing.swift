// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

/// The composition of an item's video tracks, which modules that draw implement.
///
/// It makes a demuxer of that of the asset: the packets of the preferred video track become those
/// of the composed frames, and the decoder of the track draws them. The decoder is an
/// `ExchangeableVideoDecoder`, so that the rules can be exchanged during playback.
///
/// - Concurrency: any thread.
package protocol ItemVideoComposing: Sendable {
    /// A Boolean value that indicates whether there is something to compose. If there is nothing,
    /// an item is opened as if it had no composition.
    var isActive: Bool { get }

    /// Returns a demuxer that composes.
    ///
    /// - Parameter base: The demuxer of the asset, which only the result uses from now on.
    func demuxer(
        over base: any Demuxer, of asset: Asset, cancellation: Cancellation
    ) throws(MediaError) -> any Demuxer

    /// Returns an independent object with the same rules, for a copy of the item.
    func copy() -> Self
}
