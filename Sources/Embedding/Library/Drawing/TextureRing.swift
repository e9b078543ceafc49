// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime

/// Textures with frames for the host. There are three textures, so that the host can read one of
/// them while the next is drawn.
///
/// If the size or the format changes, textures that the host has acquired stay valid until they are
/// released. The host can therefore show the previous frame until it has the next one.
///
/// - Concurrency: render thread. The last reference may be released on any thread.
final class TextureRing {
    struct Request: Equatable {
        /// The width of the texture; 0 for the width of the frame.
        var width = 0
        var height = 0
        var isBottomFirst = false
        var colorSpace = ColorSpace.bt709
        var format = GLTextureFormat.rgba8
    }

    struct Lease {
        var number: UInt64
        var texture: GLTexture
        var generation: UInt32
        var frameTime: Int64
    }

    private static let count = 3

    private let context: GLHostContext
    private let renderer: VideoRenderer
    private var lateFrames = LateFramePolicy()
    private var slots: [TextureSlot] = []
    /// The slots with an earlier size or format. The host still reads them.
    private var retired: [TextureSlot] = []
    private var request = Request()
    /// The size of the slots.
    private var size = (width: 0, height: 0)
    private var generation: UInt32 = 0
    private var current: TextureSlot?
    private var leases: [UInt64: TextureSlot] = [:]
    private var lastLease: UInt64 = 0
    /// A Boolean value that indicates whether the newest frame has effects.
    private var wasFiltered = false
    private var sourceGeneration: UInt64?
    private var scene = Scene(background: .none)

    init(context: GLHostContext) {
        self.context = context
        // The host's thread does not wait for helper threads.
        renderer = VideoRenderer(context: context, helperCount: 0)
    }

    func acquire(
        _ source: DrawSource, _ request: Request
    ) throws -> (Lease, DrawOutcome) {
        var outcome = DrawOutcome()
        dropRetired()
        guard let output = source.output else { throw Nothing() }
        let itemTime = output.itemTime(forHostTime: source.hostTime)
        outcome.itemTime = itemTime.hosted
        let isOther = sourceGeneration != source.generation
        if isOther {
            scene = Scene(
                background: .color(SIMD4(0, 0, 0, 0)),
                layers: [Layer(.video(output), gravity: .resize, effects: source.effects)]
                    + (source.subtitles.map { [Layer(.video($0), gravity: .resize)] } ?? []))
            sourceGeneration = source.generation
            // A texture with a frame of the previous media is not returned any more.
            current = nil
        }
        let keeps = current != nil && !isOther && lateFrames.keeps(source, by: renderer)
        let isNew = isOther || (!keeps && output.hasNewPixelBuffer(forItemTime: itemTime))
        let hasNewWords = source.subtitles?.hasNewPixelBuffer(forItemTime: itemTime) ?? false
        let isFiltered = source.effects.contains { $0.isEnabled }
        // If effects were removed, the frame is drawn again too.
        let mustDraw =
            isNew || hasNewWords || request != self.request || isFiltered || wasFiltered
        if source.isVisible, mustDraw || current == nil {
            try draw(source, itemTime, request, keepsPicture: keeps, &outcome)
            if !keeps { renderer.prepareNextPicture() }
        } else if !source.isVisible {
            outcome.flags |= PLAYHEAD_RENDER_HIDDEN
        } else {
            outcome.flags |= PLAYHEAD_RENDER_SKIPPED
            if !keeps { renderer.prepareNextPicture() }
        }
        guard let current else { throw Nothing() }
        if keeps || source.playing?.isAwaitingPixelBuffer(forItemTime: itemTime) == true {
            outcome.flags |= PLAYHEAD_RENDER_LATE
        }
        lastLease += 1
        leases[lastLease] = current
        current.leases += 1
        outcome.frameTime = current.frameTime
        return (
            Lease(
                number: lastLease, texture: current.framebuffer.texture,
                generation: current.generation, frameTime: current.frameTime), outcome
        )
    }

    /// An error that indicates that there is no frame yet.
    struct Nothing: Error {}

    /// Returns whether a lease is valid.
    func isOut(_ lease: UInt64) -> Bool { leases[lease] != nil }

    func release(_ lease: UInt64, fence: GLFence?) -> Bool {
        guard let slot = leases.removeValue(forKey: lease) else { return false }
        slot.leases -= 1
        if let fence { slot.fences.append(fence) }
        dropRetired()
        return true
    }

    private func draw(
        _ source: DrawSource, _ itemTime: MediaTime, _ request: Request,
        keepsPicture: Bool, _ outcome: inout DrawOutcome
    ) throws {
        guard let (picture, _) = source.preview?.copyPixelBuffer(forItemTime: itemTime) else {
            return
        }
        let size = (
            width: request.width > 0
                ? request.width : max(1, Int(picture.displaySize.width.rounded())),
            height: request.height > 0
                ? request.height : max(1, Int(picture.displaySize.height.rounded()))
        )
        if slots.isEmpty || self.size != size || self.request != request {
            try make(size, request)
        }
        guard let slot = freeSlot() else {
            throw CallFailure(
                PLAYHEAD_OUT_OF_RESOURCES,
                "all \(Self.count) textures are acquired; call playhead_release_texture")
        }
        var target = RenderTarget(slot.framebuffer, colorSpace: request.colorSpace)
        target.isTopRowFirst = !request.isBottomFirst
        let report = renderer.render(
            scene, hostTime: source.hostTime, into: target, keepsPictures: keepsPicture)
        outcome.take(report, source)
        slot.frameTime = report.displayTime.hosted
        current = slot
        wasFiltered = source.effects.contains { $0.isEnabled }
    }

    private func make(_ size: (width: Int, height: Int), _ request: Request) throws {
        guard context.capabilities.drawable(request.format) == request.format else {
            throw CallFailure(
                PLAYHEAD_UNSUPPORTED,
                "this OpenGL ES cannot draw to float textures, because it has no "
                    + "GL_EXT_color_buffer_half_float; request 8 or 10 bits")
        }
        retired += slots.filter(\.isRead)
        slots = []
        current = nil
        var made: [TextureSlot] = []
        for _ in 0..<Self.count {
            let framebuffer = try GLFramebuffer(
                format: request.format, width: size.width, height: size.height, context: context)
            made.append(TextureSlot(framebuffer, generation: generation + 1))
        }
        slots = made
        self.size = size
        self.request = request
        generation += 1
    }

    /// Returns a slot that the host does not read. The slot that was returned last is used only if
    /// no other is free.
    private func freeSlot() -> TextureSlot? {
        var last: TextureSlot?
        for slot in slots where !slot.isRead {
            if slot !== current { return slot }
            last = slot
        }
        return last
    }

    private func dropRetired() {
        if !retired.isEmpty { retired.removeAll { !$0.isRead } }
    }
}
