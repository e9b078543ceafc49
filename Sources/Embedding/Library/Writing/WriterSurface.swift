// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import PlayheadGL
import PlayheadTime

/// A reader of the host's framebuffers and textures in the host's context.
///
/// - Concurrency: render thread; the last reference may be released on any thread.
final class WriterSurface: HostedContextUser {
    static let noun = "writer"
    static let prefix = "playhead_writer_gl"

    let context: GLHostContext
    private let state: GLHostState
    /// The reads in progress, oldest first, with their blocks and times.
    private var ring: GLReadRing?
    private var reads: [(block: Int, time: Int64, isTopFirst: Bool)] = []
    /// The framebuffer that textures are attached to and samples are resolved into.
    private var own: GLFramebuffer?
    private var wrapper: UInt32 = 0
    /// The framebuffers that are known to be complete, and whether each is multisampled.
    private var known: [UInt32: Bool] = [:]

    /// The number of reads in progress at a time.
    private static let readCount = 3
    /// The maximum number of cached framebuffers. If a host creates more, the cache is cleared.
    private static let mostFramebuffers = 64

    init(context: GLHostContext, mode: GLHostState.Mode, unitBase: Int) {
        self.context = context
        state = GLHostState(mode: mode, unitBase: unitBase)
        reads.reserveCapacity(Self.readCount)
    }

    deinit { context.deletionQueue.enqueue(.framebuffer, wrapper) }

    /// Reads a framebuffer or a texture into a block: immediately on software OpenGL, otherwise by
    /// starting a read that a later call collects.
    ///
    /// - Parameter isTopFirst: true if the first row in OpenGL's order is the top row.
    /// - Returns: false if no block is free, or the maximum number of reads is in progress.
    func read(
        framebuffer: UInt32, texture: UInt32, at time: Int64, isTopFirst: Bool,
        into frames: RecorderFrames
    ) throws -> Bool {
        context.deleteDropped()
        state.enter(units: 1)
        defer { state.leave() }
        collect(frames, waits: false)
        guard ring?.isFull != true, let block = frames.claim() else { return false }
        do {
            try bind(framebuffer: framebuffer, texture: texture, frames)
        } catch {
            frames.release(block)
            throw error
        }
        defer { if texture != 0 { detach() } }
        guard !context.capabilities.isSoftware else {
            // Software OpenGL has finished drawing by the time it copies, so the frame is copied
            // immediately.
            GLFramebuffer.read(
                width: frames.width, height: frames.height, into: frames.memory(block))
            frames.commit(block, at: time, isTopFirst: isTopFirst)
            return true
        }
        let ring =
            self.ring
            ?? GLReadRing(
                width: frames.width, height: frames.height, count: Self.readCount,
                context: context)
        self.ring = ring
        ring.begin()
        reads.append((block, time, isTopFirst))
        return true
    }

    /// Copies the results of finished reads; if requested, waits for all reads.
    private func collect(_ frames: RecorderFrames, waits: Bool) {
        guard let ring else { return }
        while ring.pendingCount > 0, waits || ring.isReady {
            let read = reads.removeFirst()
            guard let base = frames.memory(read.block).baseAddress, ring.take(into: base) else {
                frames.release(read.block)
                continue
            }
            frames.commit(read.block, at: read.time, isTopFirst: read.isTopFirst)
        }
    }

    /// Waits for the reads in progress.
    func drain(_ frames: RecorderFrames) {
        guard ring != nil else { return }
        state.enter(units: 1)
        defer { state.leave() }
        collect(frames, waits: true)
    }

    // MARK: - Sources

    /// Binds the source for reading, as a framebuffer that is not multisampled.
    private func bind(framebuffer: UInt32, texture: UInt32, _ frames: RecorderFrames) throws {
        if texture != 0 { return try attach(texture) }
        let isMultisampled = try check(framebuffer, frames)
        guard isMultisampled else {
            GLFramebuffer.bindForReading(framebuffer)
            return
        }
        let own =
            try self.own
            ?? GLFramebuffer(
                width: frames.width, height: frames.height, label: "record", context: context)
        self.own = own
        own.fill(from: framebuffer, x: 0, y: 0)
        GLFramebuffer.bindForReading(own.name)
    }

    /// Checks a framebuffer when it is first read.
    ///
    /// - Returns: true if the framebuffer is multisampled.
    private func check(_ framebuffer: UInt32, _ frames: RecorderFrames) throws -> Bool {
        if let known = known[framebuffer] { return known }
        guard let status = state.status(ofFramebuffer: framebuffer) else {
            throw CallFailure.argument(
                "the context has no framebuffer \(framebuffer); pass an existing one, or 0")
        }
        guard status == GLHostState.completeFramebuffer else {
            throw GLError.incompleteFramebuffer(
                status: status, width: frames.width, height: frames.height)
        }
        let isMultisampled = state.isMultisampled(framebuffer: framebuffer)
        if known.count >= Self.mostFramebuffers { known = [:] }
        known[framebuffer] = isMultisampled
        return isMultisampled
    }

    private func attach(_ texture: UInt32) throws {
        if wrapper == 0 { wrapper = GLFramebuffer.makeName(in: context) }
        guard GLFramebuffer.attachForReading(texture: texture, to: wrapper) else {
            detach()
            throw CallFailure.argument(
                "texture \(texture) is not a GL_TEXTURE_2D that can be read; pass one with a "
                    + "colour-renderable format")
        }
    }

    private func detach() { _ = GLFramebuffer.attachForReading(texture: 0, to: wrapper) }
}
