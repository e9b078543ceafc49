// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

/// An asset with the content that a composition had when the asset was created.
///
/// - Concurrency: any thread.
final class CompositionAsset: Asset, NestingAsset, @unchecked Sendable {
    // Unchecked as its superclass is.

    private let composition: CompositionOpener

    // This initializer is explicit, because a strict build warns about the inherited one.
    override init(opener: any AssetOpener) {
        composition = opener as? CompositionOpener ?? CompositionOpener(state: CompositionState())
        super.init(opener: opener)
    }

    convenience init(_ state: CompositionState) {
        self.init(opener: CompositionOpener(state: state))
    }

    func openDemuxer(
        depth: Int, cancellation: Cancellation
    ) throws(MediaError) -> any NestingDemuxer {
        try composition.openDemuxer(depth: depth, cancellation: cancellation)
    }

    override var displayName: String { "composition" }
}

extension Composition {
    /// Returns an asset with the current content of the composition. A player item, an asset reader
    /// or an image generator can use it like a file. Later edits do not change the asset.
    ///
    ///     let item = PlayerItem(asset: composition.makeAsset())
    ///
    /// If no track has video or audio, loading the asset throws `MediaError`.
    ///
    /// - Corresponds to: `AVComposition`, which is an asset itself.
    public func makeAsset() -> Asset { CompositionAsset(store.snapshot) }
}
