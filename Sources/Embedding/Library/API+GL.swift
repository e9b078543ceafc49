// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadLayers
import PlayheadPlayback
import PlayheadSubtitles
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_gl_init(
    _ player: OpaquePointer?, _ options: UnsafePointer<playhead_gl_options>?
) -> playhead_status {
    Call.player(player) { player in
        let options = try Call.read(options, "options", else: playhead_gl_options())
        guard let mode = GLHostState.Mode(rawValue: options.state_mode) else {
            throw CallFailure.argument(
                "options.state_mode must be between 0 and 2, not \(options.state_mode)")
        }
        if let get = options.get_proc { try HostFunctions(get, options.get_proc_user).check() }
        try player.graphics.begin(mode: mode, unitBase: Int(options.texture_unit_base))
        // What could not be drawn before can be now, and nothing has been into this context.
        let hasFilm = player.control.withLock { control in
            control.isStale = control.film != nil
            return control.isStale
        }
        player.watchPictures()
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
        let target = try HostedTarget(try Call.read(target, "target"))
        let result = try result.map { try Call.out($0, "result") }
        let source = player.source(\.targetOutput, \.target, hostTime: target.hostTime)
        let outcome = try player.draw { surface in try surface.render(source, target) }
        // Of one that is hidden there is nothing to draw until it is shown again.
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
        let (film, isStale, isVisible) = player.control.withLock {
            ($0.film, $0.isStale, $0.isVisible)
        }
        let time = film?.targetOutput.itemTime(forHostTime: player.hostTime(0)) ?? .invalid
        // What has been drawn into either kind of framebuffer is not new.
        let isNew = film.map { film in
            film.targetOutput.hasNewPixelBuffer(forItemTime: time)
                && film.sampledOutput.hasNewPixelBuffer(forItemTime: time)
        }
        let hasNewWords = isVisible && player.hasNewSubtitles(film, at: time)
        let looksNew = isStale || film != nil && (player.looksDifferent || hasNewWords)
        is_new.pointee = isVisible && (isNew == true || looksNew) ? 1 : 0
        // One that draws only what is new does not draw now.
        if isNew == false { film?.watch.look(atTaken: time) }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_acquire_texture(
    _ player: OpaquePointer?, _ request: UnsafePointer<playhead_texture_request>?,
    _ texture: UnsafeMutablePointer<playhead_texture>?
) -> playhead_status {
    Call.player(player) { player in
        let texture = try Call.out(texture, "texture")
        let request = try Call.read(request, "request", else: playhead_texture_request())
        let wanted = try TextureRing.Request(request)
        let source = player.source(
            \.textureOutput, \.texture, hostTime: try Call.time(request.host_time, "host_time"))
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
        // The picture that found no texture has one now.
        if player.lacksTexture.exchange(false, ordering: .relaxed) { player.watchPictures() }
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
        if is_visible != 0 { player.watchPictures() }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_statistics(
    _ player: OpaquePointer?, _ statistics: UnsafeMutablePointer<playhead_statistics>?
) -> playhead_status {
    Call.player(player) { player in
        let statistics = try Call.out(statistics, "statistics")
        var result = playhead_statistics()
        result.struct_size = statistics.pointee.struct_size
        if let item = player.control.withLock({ $0.film?.item }) {
            let counts = item.statistics
            result.decoded_frames = UInt64(counts.decodedFrames)
            result.dropped_frames = UInt64(counts.droppedFrames)
            result.decoding_errors = UInt64(counts.decodingErrors)
            result.audio_underruns = UInt64(counts.audioUnderruns)
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

/// How a host finds OpenGL's functions.
struct HostFunctions {
    typealias Get =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) ->
        UnsafeMutableRawPointer?

    private let get: Get
    private let user: UnsafeMutableRawPointer?

    init(_ get: @escaping Get, _ user: UnsafeMutableRawPointer?) {
        self.get = get
        self.user = user
    }

    /// Makes sure that the host's OpenGL is the one that is called here.
    func check() throws {
        typealias GetString = @convention(c) (UInt32) -> UnsafePointer<UInt8>?
        let address = Callback.run { "glGetString".withCString { get(user, $0) } }
        guard let address else {
            throw CallFailure.argument(
                "options.get_proc returned NULL for glGetString; use eglGetProcAddress or similar")
        }
        guard GLCurrentContext() != nil else { return }
        let ours = try GLCapabilities.ofCurrentContext().versionText
        let getString = unsafeBitCast(address, to: GetString.self)
        // GL_VERSION of OpenGL's glcorearb.h.
        let version = getString(0x1F02).map { String(cString: $0) } ?? ""
        guard version == ours else {
            throw CallFailure(
                PLAYHEAD_GL_UNSUPPORTED,
                "options.get_proc finds OpenGL '\(version)', but the current EGL or GLX context is "
                    + "'\(ours)'; make the host's context current")
        }
    }
}

extension HostedSurface.Outcome {
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
    /// The largest texture that OpenGL 3.3 has to offer is smaller; drivers say what theirs is.
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

extension HostedPlayer {
    /// How the effects have been drawn last, over a picture.
    struct Drawn {
        var look: UInt64
        var isMoving: Bool
    }

    /// Remembers how the picture has been drawn that hosts are told of by `looksDifferent`.
    func note(_ outcome: HostedSurface.Outcome, look: UInt64) {
        let hasPicture = outcome.flags & PLAYHEAD_RENDER_NO_FRAME == 0
        control.withLock {
            $0.drawn = hasPicture ? Drawn(look: look, isMoving: outcome.isMoving) : nil
            $0.isStale = false
        }
    }

    /// Whether effects have the picture that was drawn last look different now.
    var looksDifferent: Bool {
        let (drawn, changes, effects) = control.withLock {
            ($0.drawn, $0.lookChanges, $0.instances)
        }
        guard let drawn else { return false }
        return drawn.isMoving || drawn.look != Self.look(of: effects, changes: changes)
    }

    /// Whether other subtitles are to be seen than were drawn, into either kind of framebuffer.
    func hasNewSubtitles(_ film: Film?, at time: MediaTime) -> Bool {
        guard let subtitles = film?.subtitles, !control.withLock({ $0.subtitleStyle.isHidden })
        else { return false }
        return subtitles.target.hasNewPixelBuffer(forItemTime: time)
            && subtitles.sampled.hasNewPixelBuffer(forItemTime: time)
    }

    /// Changes with each effect that is added, taken away, switched or set, and each change of subtitles: none
    /// is set four billion times.
    private static func look(of effects: [EffectInstance], changes: UInt64) -> UInt64 {
        effects.reduce(changes << 32) { $0 &+ $1.generation }
    }

    /// What is to be drawn. Once hidden, a film that is still seeking has no picture: the last one would
    /// be seen for a moment, of a place that it has left.
    func source(
        _ output: KeyPath<Film, PlayerItemVideoOutput>,
        _ overlay: KeyPath<HostedSubtitles, SubtitleOverlay>, hostTime: Int64
    ) -> HostedSurface.Source {
        let time = self.hostTime(hostTime)
        let hidden = control.withLock { control in
            control.isVisible && control.hasBeenHidden ? control.film : nil
        }
        let isLeft = hidden?.item.state.isSeeking ?? false
        let (mode, player) = control.withLock { ($0.device.clockMode, $0.device.player) }
        let isRunning = mode == PLAYHEAD_CLOCK_OWN && player.rate != 0
        let (effects, changes) = control.withLock { ($0.instances, $0.lookChanges) }
        let look = Self.look(of: effects, changes: changes)
        return control.withLock { control in
            if control.isVisible, !isLeft { control.hasBeenHidden = false }
            let subtitles = control.subtitleStyle.isHidden ? nil : control.film?.subtitles
            return HostedSurface.Source(
                output: isLeft ? nil : control.film?[keyPath: output],
                sampledOutput: isLeft ? nil : control.film?.sampledOutput,
                watch: control.film?.watch, subtitles: subtitles?[keyPath: overlay],
                sampledSubtitles: subtitles?.sampled,
                preview: control.film?.memoryOutput, effects: control.instances,
                generation: control.generation, isVisible: control.isVisible, look: look,
                hostTime: time, isRunning: isRunning)
        }
    }

    /// Draws, counts, and tells of what could not be drawn.
    func draw(
        _ body: (HostedSurface) throws -> HostedSurface.Outcome
    ) throws -> HostedSurface.Outcome {
        let start = HostClock.nanoseconds
        let outcome = try graphics.perform { surface in
            let outcome = try body(surface)
            guard !outcome.isContextLost else { throw GLError.contextLost }
            let duration = UInt64(max(0, HostClock.nanoseconds - start))
            graphics.statistics.withLock { statistics in
                if outcome.wasDrawn { statistics.rendered += 1 }
                if outcome.flags & PLAYHEAD_RENDER_NEW_FRAME != 0 { statistics.newFrames += 1 }
                if outcome.flags & PLAYHEAD_RENDER_LATE != 0 { statistics.late += 1 }
                statistics.renderNanoseconds += duration
                statistics.longestNanoseconds = max(statistics.longestNanoseconds, duration)
                statistics.uploadNanoseconds += UInt64(max(0, outcome.uploadNanoseconds))
                statistics.stateNanoseconds += UInt64(max(0, outcome.stateNanoseconds))
                surface.count(in: &statistics)
            }
            return outcome
        }
        guard !outcome.problems.isEmpty else { return outcome }
        let item = control.withLock { $0.film?.item }
        for problem in outcome.problems {
            HostLog.write(PLAYHEAD_LOG_WARNING, problem.description)
            let (status, text) = (Int(CallFailure(problem).status), problem.description)
            if let item {
                note(PLAYHEAD_EVENT_WARNING, of: item, status: status, text: text)
            } else {
                events.add(
                    EventQueue.Event(type: PLAYHEAD_EVENT_WARNING, status: status, text: text))
            }
        }
        return outcome
    }
}
