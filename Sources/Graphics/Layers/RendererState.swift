// SPDX-License-Identifier: Apache-2.0

public import PlayheadGL
public import PlayheadTextures

/// How a renderer draws, and what that takes: for people who want to know, and for statistics.
public struct RendererState: Sendable, Hashable {
    /// Who converts pictures.
    public var conversion: PictureConversion
    /// How the last picture was uploaded.
    public var upload: PictureUpload
    /// Pictures uploaded since the renderer was made; none where the processor converts.
    public var uploadCount: Int
    /// What becomes of the first film's colours, in words; empty as long as there is no picture.
    public var colorPath: String
    /// Objects of OpenGL's that live in the context, by kind.
    public var objectCounts: [GLDeletionQueue.Kind: Int]
    /// Bytes that textures and buffers take, by their sizes.
    public var byteCount: Int
    /// Those of them that decoders work in.
    public var mappedByteCount: Int
    /// Whether the context tells of being lost.
    public var reportsLoss: Bool
}

extension VideoRenderer {
    /// How it draws now. Allocates: not for every frame.
    public var state: RendererState {
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
