// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadBuffers
import PlayheadCapturing
import PlayheadGL
import PlayheadPlayback
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_gl_init(
    _ player: OpaquePointer?, _ options: UnsafePointer<playhead_gl_options>?
) -> playhead_status {
    Call.player(player) { player in
        let options = try Argument.read(options, "options", else: playhead_gl_options())
        guard let mode = GLHostState.Mode(rawValue: options.state_mode) else {
            throw CallFailure.argument(
                "options.state_mode must be between 0 and 2, not \(options.state_mode)")
        }
        if let get = options.get_proc { try HostFunctions(get, options.get_proc_user).check() }
        try player.graphics.begin(mode: mode, unitBase: Int(options.texture_unit_base))
        // Nothing has been drawn in this context yet, so the current frame counts as new.
        let hasFilm = player.control.withLock { control in
            control.isStale = control.outputs != nil
            return control.isStale
        }
        player.requestWakeups()
        if hasFilm { player.events.wakeup.call() }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_gl_deinit(_ player: OpaquePointer?) -> playhead_status {
    Call.player(player) { player in
        try player.graphics.deinitialize()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_gl_forget(_ player: OpaquePointer?) -> playhead_status {
    Call.player(player) { player in
        player.graphics.forget()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_gl_collect(_ count: UnsafeMutablePointer<Int32>?) -> playhead_status {
    Call.run {
        let collected = HostedGarbage.collect()
        count?.pointee = Int32(clamping: collected)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_render(
    _ player: OpaquePointer?, _ target: UnsafePointer<playhead_target>?,
    _ result: UnsafeMutablePointer<playhead_render_result>?
) -> playhead_status {
    Call.player(player) { player in
        let target = try HostedTarget(try Argument.read(target, "target"))
        let result = try result.map { try Argument.out($0, "result") }
        let source = player.source(\.target, \.target, hostTime: target.hostTime)
        let outcome = try player.draw { surface in try surface.render(source, target) }
        // A hidden player has nothing to draw until it is shown again.
        if source.isVisible {
            source.watch?.look(at: outcome.isSampled ? .sampled : .target)
            player.note(outcome, look: source.look)
        }
        if let result { outcome.write(to: result) }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_has_new_frame(
    _ player: OpaquePointer?, _ is_new: UnsafeMutablePointer<Int32>?
) -> playhead_status {
    Call.player(player) { player in
        guard let is_new else { throw CallFailure.argument("is_new must not be NULL") }
        let (film, outputs, isStale, isVisible) = player.control.withLock {
            ($0.film, $0.outputs, $0.isStale, $0.isVisible)
        }
        let time = outputs?.target.itemTime(forHostTime: player.hostTime(0)) ?? .invalid
        // If a frame has been drawn into either kind of framebuffer, it is not new.
        let isNew = outputs.map { outputs in
            outputs.target.hasNewPixelBuffer(forItemTime: time)
                && outputs.sampled.hasNewPixelBuffer(forItemTime: time)
        }
        let hasNewWords = isVisible && player.hasNewSubtitles(film, at: time)
        let looksNew = isStale || outputs != nil && (player.looksDifferent || hasNewWords)
        is_new.pointee = isVisible && (isNew == true || looksNew) ? 1 : 0
        // A call that draws only new frames has nothing to do here.
        if isNew == false { outputs?.watch.look(atTaken: time) }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_acquire_texture(
    _ player: OpaquePointer?, _ request: UnsafePointer<playhead_texture_request>?,
    _ texture: UnsafeMutablePointer<playhead_texture>?
) -> playhead_status {
    Call.player(player) { player in
        let texture = try Argument.out(texture, "texture")
        let request = try Argument.read(request, "request", else: playhead_texture_request())
        let wanted = try TextureRing.Request(request)
        let source = player.source(
            \.texture, \.texture, hostTime: try Argument.time(request.host_time, "host_time"))
        var lease: TextureRing.Lease?
        do {
            let outcome = try player.draw { surface in
                let (acquired, outcome) = try surface.acquire(source, wanted)
                lease = acquired
                return outcome
            }
            if source.isVisible { source.watch?.look(at: .texture) }
            guard let lease else { return PLAYHEAD_EMPTY }
            var made = playhead_texture()
            made.struct_size = texture.pointee.struct_size
            made.name = lease.texture.name
            made.internal_format = lease.texture.format.internalFormatCode
            made.width = Int32(lease.texture.width)
            made.height = Int32(lease.texture.height)
            made.is_premultiplied = 1
            made.is_top_first = wanted.isBottomFirst ? 0 : 1
            made.flags = UInt32(outcome.flags)
            made.color = playhead_color(wanted.colorSpace)
            made.frame_time = lease.frameTime
            made.lease = lease.number
            made.generation = lease.generation
            texture.pointee = made
            return PLAYHEAD_OK
        } catch is TextureRing.Nothing {
            if source.isVisible { source.watch?.look(at: .texture) }
            return PLAYHEAD_EMPTY
        } catch let failure as CallFailure where failure.status == PLAYHEAD_OUT_OF_RESOURCES {
            player.lacksTexture.store(true, ordering: .relaxed)
            throw failure
        }
    }
}

@c @implementation
public func playhead_release_texture(
    _ player: OpaquePointer?, _ lease: UInt64, _ fence: UnsafeMutableRawPointer?
) -> playhead_status {
    Call.player(player) { player in
        try player.graphics.perform { surface in
            try surface.release(lease) {
                guard let fence else { return nil }
                guard let known = GLFence(taking: fence, context: surface.context) else {
                    throw CallFailure.argument(
                        "fence must be NULL or a GLsync of the player's context")
                }
                return known
            }
        }
        // A frame that found no free texture can be drawn now.
        if player.lacksTexture.exchange(false, ordering: .relaxed) { player.requestWakeups() }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_visible(
    _ player: OpaquePointer?, _ is_visible: Int32
) -> playhead_status {
    Call.player(player) { player in
        player.control.withLock { control in
            control.isVisible = is_visible != 0
            if is_visible == 0 { control.hasBeenHidden = true }
        }
        if is_visible != 0 { player.requestWakeups() }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_statistics(
    _ player: OpaquePointer?, _ statistics: UnsafeMutablePointer<playhead_statistics>?
) -> playhead_status {
    Call.player(player) { player in
        let statistics = try Argument.out(statistics, "statistics")
        var result = playhead_statistics()
        result.struct_size = statistics.pointee.struct_size
        if let item = player.control.withLock({ $0.film?.item }) {
            let counts = item.statistics
            result.decoded_frames = UInt64(counts.decodedFrames)
            result.dropped_frames = UInt64(counts.droppedFrames)
            result.decoding_errors = UInt64(counts.decodingErrors)
            result.audio_underruns = UInt64(counts.audioUnderruns)
        }
        if let counts = player.control.withLock({ $0.camera })?.statistics {
            result.decoded_frames = UInt64(counts.frameCount)
            result.dropped_frames = UInt64(counts.lostFrameCount + counts.lateFrameCount)
            result.decoding_errors = UInt64(counts.damagedFrameCount)
        }
        let drawing = player.graphics.statistics.withLock { $0 }
        result.rendered = drawing.rendered
        result.new_frames = drawing.newFrames
        result.late = drawing.late
        result.render_duration = drawing.renderNanoseconds
        result.longest_render = drawing.longestNanoseconds
        result.upload_duration = drawing.uploadNanoseconds
        result.state_duration = drawing.stateNanoseconds
        if player.graphics.isInitialized {
            result.gl_textures = drawing.textures
            result.gl_objects = drawing.objects
        }
        result.lost_events = player.events.lostCount
        statistics.pointee = result
        return PLAYHEAD_OK
    }
}

extension DrawOutcome {
    func write(to result: UnsafeMutablePointer<playhead_render_result>) {
        var made = playhead_render_result()
        made.struct_size = result.pointee.struct_size
        made.flags = UInt32(flags)
        made.frame_time = frameTime
        made.item_time = itemTime
        made.upload_duration = uploadNanoseconds
        made.draw_duration = drawNanoseconds
        made.state_duration = stateNanoseconds
        result.pointee = made
    }
}

extension TextureRing.Request {
    /// The maximum texture size. It is larger than the maximum of any OpenGL driver.
    private static let largestSide = 32_768

    init(_ request: playhead_texture_request) throws {
        guard (0...Self.largestSide).contains(Int(request.width)),
            (0...Self.largestSide).contains(Int(request.height)),
            (request.width == 0) == (request.height == 0)
        else {
            throw CallFailure.argument(
                "request.width and request.height must be 0, or 1 to \(Self.largestSide), not "
                    + "\(request.width) and \(request.height)")
        }
        width = Int(request.width)
        height = Int(request.height)
        guard Int(request.flags) & ~PLAYHEAD_TEXTURE_BOTTOM_FIRST == 0 else {
            throw CallFailure.argument(
                "request.flags must be 0 or PLAYHEAD_TEXTURE_BOTTOM_FIRST, not \(request.flags)")
        }
        isBottomFirst = Int(request.flags) & PLAYHEAD_TEXTURE_BOTTOM_FIRST != 0
        colorSpace = try request.color.space()
        switch request.bit_depth {
        case 0, 8: format = .rgba8
        case 10: format = .rgb10A2
        case -1: format = .rgba16Float
        default:
            throw CallFailure.argument(
                "request.bit_depth must be 0, 8, 10 or -1, not \(request.bit_depth)")
        }
    }
}
