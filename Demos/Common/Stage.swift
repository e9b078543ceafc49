// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// The environment of a demo: a window in real time, or an image on a clock that advances by
/// frames, so that it is the same in every run.
@MainActor public final class Stage {
    public let options: DemoOptions
    /// The clock of everything: the host clock, or one that is advanced manually.
    public let clock: any MediaClock
    /// The width of the drawing area, in points.
    public internal(set) var width: Double
    public internal(set) var height: Double
    /// The number of pixels in a point.
    public internal(set) var scale = 1.0
    /// The record of every frame; of the window's only.
    public let ledger = FrameLedger()

    /// The title of the window, with the state of the demo.
    public var title: String
    /// The keys that control playback; its state is shown after the title.
    public var transport: Transport?
    var opened: (window: Window, presenter: Presenter)?
    var isOver = false
    /// The sinks that play nothing, and the players, which wait for each other without a window; in
    /// a window players are observed for videos that cannot be played.
    var sinks: [NullAudioSink] = []
    var players: [WaitingPlayer] = []

    init(options: DemoOptions, title: String, size: WindowSize) {
        self.options = options
        self.title = title
        width = Double(size.width)
        height = Double(size.height)
        clock = options.isHeadless ? ManualClock() : HostClock.shared
        guard let wanted = options.size else { return }
        if options.isHeadless {
            // The same image, larger or smaller.
            scale = Double(wanted.width) / width
            height = Double(wanted.height) / scale
        } else {
            width = Double(wanted.width)
            height = Double(wanted.height)
        }
    }

    /// The host clock's time, for the start of animations and requests to outputs.
    public var time: MediaTime { clock.time }

    /// The drawing area, in points.
    public var bounds: LayerRect { LayerRect(x: 0, y: 0, width: width, height: height) }

    /// Closes the window.
    public func quit() { isOver = true }

    /// Draws the next frame although its scene is unchanged: call it after a change of an effect.
    public func setNeedsDisplay() { opened?.presenter.setNeedsDisplay() }

    // MARK: Players

    /// Creates a player on the stage's clock.
    ///
    /// - Parameters:
    ///   - sink: the destination of its audio; nil for none.
    ///   - mayFail: true if the demo continues in its window if a video cannot be played.
    public func makePlayer(
        _ item: PlayerItem? = nil, sink: (any AudioSink)? = nil, mayFail: Bool = false
    ) -> Player {
        let player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        register(player, mayFail: mayFail)
        return player
    }

    /// Registers a player that was created elsewhere. The demo ends with the error if the player
    /// cannot play its video, and without a window waits for its frames.
    public func register(_ player: Player, mayFail: Bool = false) {
        if options.isHeadless || !mayFail { players.append(WaitingPlayer(player)) }
    }

    /// Returns a sink on the audio server or, without a server, a silent device; taps work on both.
    public func makeSink(title: String? = nil) -> any AudioSink {
        if !options.isHeadless {
            var pulse = PulseAudioOptions()
            pulse.title = title ?? self.title
            if let sink = try? PulseAudioSink(options: pulse) { return sink }
        }
        let sink = NullAudioSink(clock: clock)
        if options.isHeadless { sinks.append(sink) }
        return sink
    }

    /// The named videos; the built-in clip by default.
    public var films: [Asset] {
        options.films.isEmpty ? [Films.builtIn] : options.films.map { URLAsset($0) }
    }
}
