// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets

/// A composition as an asset: what it held when the asset was made.
///
/// - Concurrency: any thread.
package final class CompositionAsset: Asset, @unchecked Sendable {
    // Unchecked as its superclass is.

    init(_ state: CompositionState) { super.init(opener: CompositionOpener(state: state)) }

    override package var displayName: String { "composition" }
}

extension Composition {
    /// Returns an asset that plays the composition as it is now.
    package func makeAsset() -> CompositionAsset { CompositionAsset(store.snapshot) }
}
