// SPDX-License-Identifier: Apache-2.0

/// An asset at a URL: a local file, an HTTP address, or the address of a live stream.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVURLAsset`.
public final class URLAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; the added properties are constant.

    /// The location of the asset's data.
    public let location: AssetLocation

    /// Creates an asset.
    ///
    /// - Parameter opener: The object that opens the data at `location`.
    package init(location: AssetLocation, opener: any AssetOpener) {
        self.location = location
        super.init(opener: opener)
    }

    override public var displayName: String { location.displayName }
    override public var subject: String { location.publicDescription }
}
