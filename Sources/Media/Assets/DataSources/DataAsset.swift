// SPDX-License-Identifier: Apache-2.0

/// An asset whose data comes from the caller: memory, a file descriptor, or functions that read.
///
///     let asset = DataAsset(bytes, name: "intro.mp4")
///
/// - Concurrency: any thread.
/// - Corresponds to: an `AVURLAsset` with an `AVAssetResourceLoaderDelegate`.
public final class DataAsset: Asset, @unchecked Sendable {
    // Unchecked like its base class; the added properties are constant.

    private let name: String

    /// Creates an asset.
    ///
    /// - Parameters:
    ///   - name: The name for display and for error messages. The extension of the name helps to
    ///     distinguish formats that have no signature.
    ///   - opener: The object that opens the data.
    package init(name: String, opener: any AssetOpener) {
        self.name = name
        super.init(opener: opener)
    }

    override public var displayName: String { name }
}
