// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers

/// How the item is decoded.
extension PlayerItem {
    /// Where the memory comes from that pictures are decoded into: a renderer's pool spares copying
    /// them to it. Counts from the next picture on, so it may be set, and taken away, while the item
    /// plays. Plain memory where it is nil, while it has none to give, and for what is kept to be
    /// played backwards.
    public var pixelBufferPool: (any PixelBufferPool)? {
        get { pipeline.pixelBufferPool.pool }
        set { pipeline.pixelBufferPool.pool = newValue }
    }
}
