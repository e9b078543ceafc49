// SPDX-License-Identifier: Apache-2.0

public import PlayheadPlayback

/// Timed metadata.
extension PlayerItem {
    /// Adds an output. From then on, the output delivers metadata of this item only.
    public func add(_ output: PlayerItemMetadataOutput) {
        output.belong(to: self)
        if let tap = output.tap { add(tap, owner: output) }
    }

    /// Removes an output. After that, the output delivers nothing.
    public func remove(_ output: PlayerItemMetadataOutput) {
        if let tap = output.tap { remove(tap) }
    }

    /// Adds a collector. From then on, the collector collects date ranges of this item only.
    ///
    /// - Corresponds to: `AVPlayerItem.add(_:)` for an `AVPlayerItemMediaDataCollector`.
    public func add(_ collector: PlayerItemMetadataCollector) {
        if let tap = collector.tap { add(tap, owner: collector) }
    }

    /// Removes a collector. After that, it collects nothing.
    public func remove(_ collector: PlayerItemMetadataCollector) {
        if let tap = collector.tap { remove(tap) }
    }
}
