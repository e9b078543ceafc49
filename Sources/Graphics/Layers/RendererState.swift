// SPDX-License-Identifier: Apache-2.0

package import PlayheadGL
package import PlayheadTextures

/// How a renderer draws, and what that takes: for people who want to know, and for statistics.
package struct RendererState: Sendable, Hashable {
    /// Who converts pictures.
    package var conversion: PictureConversion
    /// How the last picture was uploaded.
    package var upload: PictureUpload
    /// Pictures uploaded since the renderer was made; none where the processor converts.
    package var uploadCount: Int
    /// What becomes of the first film's colours, in words; empty as long as there is no picture.
    package var colorPath: String
    /// Objects of OpenGL's that live in the context, by kind.
    package var objectCounts: [GLDeletionQueue.Kind: Int]
    /// Bytes that textures and buffers take, by their sizes.
    package var byteCount: Int
    /// Those of them that decoders work in.
    package var mappedByteCount: Int
    /// Whether the context tells of being lost.
    package var reportsLoss: Bool
}

extension VideoRenderer {
    /// How it draws now. Allocates: not for every frame.
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
