// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL
package import PlayheadTextures

/// The methods that a renderer uses, and the memory that it takes, for diagnostics and statistics.
package struct RendererState: Sendable, Hashable {
    /// The processor that converts frames.
    package var conversion: PictureConversion
    /// The method with which the last frame was uploaded.
    package var upload: PictureUpload
    /// The number of frames uploaded since the renderer was created; 0 if the CPU converts.
    package var uploadCount: Int
    /// A description of the colour conversion of the first video; empty until the video has a
    /// frame.
    package var colorPath: String
    /// The number of live OpenGL objects of the context, by kind.
    package var objectCounts: [GLDeletionQueue.Kind: Int]
    /// The OpenGL memory of textures and buffers, in bytes.
    package var byteCount: Int
    /// The part of `byteCount` that decoders work in.
    package var mappedByteCount: Int
    /// A Boolean value that indicates whether the driver reports the loss of the context.
    package var reportsLoss: Bool
}

extension VideoRenderer {
    /// The current state. Reading it allocates memory, so do not read it for every frame.
    package var state: RendererState {
        let queues = [context.deletionQueue, context.shareGroup.deletionQueue]
        return RendererState(
            conversion: conversion, upload: lastUpload, uploadCount: uploadCount,
            colorPath: colorPath,
            objectCounts: Dictionary(
                uniqueKeysWithValues: GLDeletionQueue.Kind.allCases.map { kind in
                    (kind, queues.reduce(0) { $0 + $1.liveCount(kind) })
                }), byteCount: queues.reduce(0) { $0 + $1.byteCount },
            mappedByteCount: mappedByteCount, reportsLoss: context.capabilities.reportsLoss)
    }
}
