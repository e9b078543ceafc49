// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets

/// A composition as an asset: what it held when the asset was made.
///
/// - Concurrency: any thread.
final class CompositionAsset: Asset, @unchecked Sendable {
    // Unchecked as its superclass is.

    // Written out: a strict build warns about the one that the compiler would make.
    override init(opener: any AssetOpener) { super.init(opener: opener) }

    convenience init(_ state: CompositionState) {
        self.init(opener: CompositionOpener(state: state))
    }

    override var displayName: String { "composition" }
}

extension Composition {
    /// Returns an asset with the content that the composition has now: a player item, an asset
    /// reader or an image generator takes it like a file. Later edits do not change the asset.
    ///
    ///     let item = PlayerItem(asset: composition.makeAsset())
    ///
    /// If no track has video or audio, loading the asset throws `MediaError`.
    ///
    /// - Corresponds to: `AVComposition`, which is an asset itself.
    public func makeAsset() -> Asset { CompositionAsset(store.snapshot) }
}
