// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadAssets
import PlayheadAudio
import PlayheadBuffers
import PlayheadEffects
import PlayheadFFmpeg
import PlayheadPlayback
import PlayheadTime
import Synchronization

/// A player to which hosts refer by a handle: a `Player`, its media and its outputs.
///
/// - Concurrency: any thread. Locks are held for a short time only, and not during decoding,
///   drawing or callbacks.
final class HostedPlayer: Sendable {
    /// The open media with its outputs.
    struct Film {
        let item: PlayerItem
        let outputs: HostedOutputs
        /// The output for memory, which is one of `outputs`.
        let memoryOutput: PlayerItemVideoOutput
        /// The analyzer that supplies audio to effects.
        let analyzer = AudioAnalyzerTap()
        /// The subtitles, or nil until a subtitle track is first enabled.
        var subtitles: HostedSubtitles?
        var tokens: [ObservationToken] = []
        /// The number of ends that were reached and reported by an event, including the ends of a
        /// loop's iterations.
        var heardEnds = 0

        init(_ asset: Asset, wakeup: WakeupCallback) {
            let item = PlayerItem(asset: asset)
            var last = PlayerItemVideoOutput()
            outputs = HostedOutputs(wakeup: wakeup) {
                last = PlayerItemVideoOutput()
                item.add(last)
                return last
            }
            (self.item, memoryOutput) = (item, last)
        }
    }

    struct Control {
        var device: HostedDevice
        /// The handle; 0 until the host has received it.
        var handle: UInt = 0
        /// The open media. If it is not nil, `camera` is nil.
        var film: Film?
        /// The open device.
        var camera: HostedCamera?
        /// The options for opening media.
        var assetOptions = AssetOptions()
        /// A Boolean value that indicates whether a thread runs `settleFilm`.
        var isSettlingFilm = false
        var loop = Loop()
        var isVisible = true
        /// A Boolean value that indicates whether nothing has been drawn since the player was
        /// hidden.
        var hasBeenHidden = false
        var effects: [(handle: UInt, effect: HostedEffect)] = []
        /// The effect instances of `effects`.
        var instances: [EffectInstance] = []
        var subtitleStyle = HostedSubtitles.Style()
        var frames: [UInt64: PixelBuffer] = [:]
        var lastLease: UInt64 = 0
        var isEnded = false
        /// The number of changes of the media, of the list of effects, and of the presence of
        /// subtitles. After each of them, scenes are rebuilt.
        var generation: UInt64 = 0
        /// The number of effects that were added or removed, plus the number of changes of the
        /// subtitles' style.
        var lookChanges: UInt64 = 0
        /// The state of the last drawn frame, or nil before the first one.
        var drawn: Drawn?
        /// A Boolean value that indicates whether the host displays an outdated image, because the
        /// context is new or the media was closed.
        var isStale = false

        /// The outputs of what is open; nil if nothing is open.
        var outputs: HostedOutputs? { film?.outputs ?? camera?.outputs }

        /// Removes what is open, and returns it.
        mutating func removeOpen() -> (film: Film?, camera: HostedCamera?) {
            defer {
                (film, camera) = (nil, nil)
                generation += 1
            }
            return (film, camera)
        }
    }

    let control: Mutex<Control>
    /// A lock for commands of the transport and for the exchange of devices. Each command begins
    /// with the result of the previous command, even if another thread performed that command. The
    /// lock is taken before the lock of `control`.
    let commands = Mutex(())
    let events = EventQueue()
    let graphics = HostedGraphics<HostedSurface>()
    let memory = HostedMemory()
    /// A Boolean value that indicates whether a frame could not be drawn because all textures were
    /// acquired.
    let lacksTexture = Atomic(false)

    init(_ device: HostedDevice) { control = Mutex(Control(device: device)) }

    /// Makes the audio available to the host's mixer. This is called before the host receives the
    /// handle.
    func begin(_ handle: OpaquePointer) {
        control.withLock { control in
            control.handle = UInt(bitPattern: handle)
            PulledAudioTable.shared.add(control.device, of: control.handle)
        }
    }

    // MARK: Clock and audio

    /// Replaces the clock or the audio destination. The media must be closed.
    func exchangeDevice(_ make: (HostedDevice) throws -> HostedDevice) throws {
        try commands.withLock { _ in
            let old = try control.withLock { control in
                guard control.film == nil else {
                    throw CallFailure.state("media is open; call playhead_close first")
                }
                return control.device
            }
            let new = try make(old)
            new.player.volume = old.player.volume
            new.player.isMuted = old.player.isMuted
            new.player.defaultRate = old.player.defaultRate
            new.player.rate = old.player.rate
            let isExchanged = control.withLock { control in
                guard control.film == nil, !control.isEnded else { return false }
                control.device = new
                PulledAudioTable.shared.change(to: new, of: control.handle)
                return true
            }
            (isExchanged ? old : new).hostedClock?.invalidate()
            if !isExchanged {
                throw CallFailure.state(
                    "media was opened during the call; call playhead_close first")
            }
        }
    }

    // MARK: Media

    /// Returns the open media. Throws an error if nothing is open.
    func film() throws -> Film {
        let (film, camera) = control.withLock { ($0.film, $0.camera) }
        if let camera {
            throw CallFailure(
                PLAYHEAD_UNSUPPORTED,
                "\(camera.name): a camera has no position, tracks, subtitles or chapters; open a "
                    + "file for them")
        }
        guard let film else {
            throw CallFailure.state("nothing is open; call playhead_open first")
        }
        return film
    }

    /// Returns the open media. If the media has failed, throws its error.
    func playableFilm() throws -> Film {
        let film = try film()
        if let error = film.item.error { throw error }
        return film
    }

    /// Returns the open media and its description. Throws an error if the media is not ready.
    func readyFilm() throws -> (Film, AssetDescription) {
        let film = try playableFilm()
        guard let description = film.item.assetDescription else {
            throw CallFailure.state(
                "\(film.item.asset.displayName): still opening; wait for PLAYHEAD_EVENT_READY")
        }
        return (film, description)
    }

    func open(_ asset: Asset) throws {
        var film = Film(asset, wakeup: events.wakeup)
        let player = control.withLock { $0.device.player }
        film.tokens = observe(film.item, in: player)
        let opened = film
        let old = try commands.withLock { _ in
            keepIterations()
            let loop = control.withLock { $0.loop }
            opened.item.setLoop(from: loop.start, to: loop.end, count: loop.left)
            return try publish(in: player) { $0.film = opened }
        }
        for token in old.film?.tokens ?? [] { token.cancel() }
        old.camera?.close()
        settleHearing()
        settleFilm()
        opened.outputs.watch.begin()
    }

    /// Replaces what is open, and returns what was open before.
    ///
    /// - Parameters:
    ///   - player: The player when the call began; nil if it does not matter.
    ///   - body: Sets what is open. Called with the lock held.
    func publish(
        in player: Player?, _ body: (inout Control) -> Void
    ) throws -> (film: Film?, camera: HostedCamera?) {
        try control.withLock { control in
            guard !control.isEnded, player == nil || control.device.player === player else {
                throw CallFailure.state(
                    "the player was destroyed, or its clock or audio was replaced, during the "
                        + "call; open the media again")
            }
            let old = control.removeOpen()
            body(&control)
            forgetEvents(of: old)
            return old
        }
    }

    func close() {
        let old = commands.withLock { _ in
            keepIterations()
            return removeOpen()
        }
        guard old.film != nil || old.camera != nil else { return }
        release(old)
    }

    /// Releases what was open before. Called without a lock.
    func release(_ old: (film: Film?, camera: HostedCamera?)) {
        for token in old.film?.tokens ?? [] { token.cancel() }
        old.camera?.close()
        events.wakeup.call()
        settleHearing()
        settleFilm()
        guard let item = old.film?.item else { return }
        for output in item.outputs { item.remove(output) }
    }

    /// Removes what is open from the state, and returns it.
    private func removeOpen() -> (film: Film?, camera: HostedCamera?) {
        control.withLock { control in
            let old = control.removeOpen()
            if control.drawn != nil { control.isStale = true }
            control.drawn = nil
            forgetEvents(of: old)
            return old
        }
    }

    private func forgetEvents(of old: (film: Film?, camera: HostedCamera?)) {
        if let film = old.film { events.removeAll(of: ObjectIdentifier(film.item)) }
        if let camera = old.camera { events.removeAll(of: ObjectIdentifier(camera)) }
    }

    /// Closes the player. Any thread may call it; later calls on the player find no open media.
    func end() {
        events.wakeup.set(nil, user: nil)
        let effects = control.withLock { control in
            control.isEnded = true
            PulledAudioTable.shared.change(to: nil, of: control.handle)
            defer {
                control.effects = []
                control.effectsChanged()
            }
            return control.effects
        }
        for effect in effects {
            _ = HandleTable.shared.remove(
                OpaquePointer(bitPattern: effect.handle), .effect, as: HostedEffect.self)
        }
        close()
        graphics.end()
        // The player and its device are released outside of the lock, because pending seeks then
        // end and call their handlers.
        let device = control.withLock { control in
            control.frames = [:]
            defer { control.device = HostedDevice() }
            return control.device
        }
        device.hostedClock?.invalidate()
    }

    deinit { end() }

    // MARK: Events

    private func observe(_ item: PlayerItem, in player: Player) -> [ObservationToken] {
        let events = events
        let name = item.asset.displayName
        let status = item.observe(\.status) { [weak self] change in
            switch change.newValue {
            case .unknown: break
            case .readyToPlay: self?.note(PLAYHEAD_EVENT_READY, of: item)
            case .failed(let error):
                HostLog.write(PLAYHEAD_LOG_ERROR, error.description)
                self?.note(
                    PLAYHEAD_EVENT_ERROR, of: item, status: Int(CallFailure(error).status),
                    time: noTime, text: error.description)
            }
        }
        let size = item.observe(\.presentationSize) { [weak self] change in
            let size = change.newValue
            let value = Int64(size.width.rounded()) << 32 | Int64(size.height.rounded())
            self?.note(PLAYHEAD_EVENT_SIZE, of: item, value: value)
        }
        let tracks = item.observe(\.enabledTracks) { [weak self] _ in
            self?.note(PLAYHEAD_EVENT_TRACKS, of: item)
        }
        let running = player.observe(\.timeControlStatus) { [weak self] _ in
            guard let self else { return }
            note(PLAYHEAD_EVENT_TRANSPORT, of: item, value: Int64(transport))
        }
        let silence = player.observe(\.audioError, options: .initial) { [weak self] change in
            guard let error = change.newValue else { return }
            HostLog.write(PLAYHEAD_LOG_WARNING, "\(name): without sound: \(error)")
            self?.note(
                PLAYHEAD_EVENT_WARNING, of: item, status: PLAYHEAD_NO_AUDIO_DEVICE,
                text: error.description)
        }
        let happened = item.observeEvents { [weak self] event in
            switch event {
            case .didPlayToEndTime: self?.reachedEnd(of: item)
            case .failedToPlayToEndTime(let error):
                // If the media could not be opened, the status of its item reports that.
                guard item.error == nil else { return }
                HostLog.write(PLAYHEAD_LOG_ERROR, error.description)
                self?.note(
                    PLAYHEAD_EVENT_ERROR, of: item, status: Int(CallFailure(error).status),
                    text: error.description)
                self?.hasHeardEnds(of: item)
            // The state of the transport shows that playback waits, so there is no event.
            case .timeJumped, .playbackStalled, .newAccessLogEntry: events.wakeup.call()
            case .newErrorLogEntry(let error):
                HostLog.write(PLAYHEAD_LOG_WARNING, "\(name): \(error.cause)")
                self?.note(
                    PLAYHEAD_EVENT_WARNING, of: item, status: Int(CallFailure(error).status),
                    text: error.description)
            }
        }
        let looped = item.observe(\.loop, options: .old) { [weak self] change in
            self?.loopHasAdvanced(change, of: item)
        }
        return [status, size, tracks, running, silence, happened, looped]
    }

    /// Reports an event of an item to the host, if the item is still open.
    ///
    /// - Parameter time: The time of the event, or nil for the item's current time.
    func note(
        _ type: Int, of item: PlayerItem, status: Int = 0, time: Int64? = nil, value: Int64 = 0,
        text: String = ""
    ) {
        let event = EventQueue.Event(
            type: type, status: status, time: time ?? item.currentTime.hosted, value: value,
            text: text, item: ObjectIdentifier(item))
        // This is one locked step. If an event were added after its item was closed, it would not
        // be removed.
        let isAdded = control.withLock { control in
            guard control.film?.item === item else { return false }
            events.append(event)
            return true
        }
        if isAdded { events.wakeup.call() }
    }

    /// Sets the wakeup callback. If a frame is available already, the callback is called for it.
    func setWakeup(_ wakeup: playhead_wakeup?, user: UnsafeMutableRawPointer?) {
        events.wakeup.set(wakeup, user: user)
        requestWakeups()
    }

    /// Requests a wakeup for the next frame, regardless of whether the last frame was drawn.
    func requestWakeups() { control.withLock { $0.outputs }?.watch.begin() }

    /// The transport and the rate.
    var motion: (transport: Int, rate: Double) {
        let transport = transport
        let rate = control.withLock { $0.device.player }.defaultRate
        return (transport, transport == PLAYHEAD_PAUSED ? 0 : rate)
    }

    /// The state of the transport. Between two iterations of a loop, playback is waiting.
    var transport: Int {
        switch control.withLock({ $0.device.player }).timeControlStatus {
        case .paused: PLAYHEAD_PAUSED
        case .waitingToPlayAtSpecifiedRate: PLAYHEAD_WAITING
        case .playing: PLAYHEAD_PLAYING
        }
    }
}
