// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// Where a demo is performed: a window in real time, or a picture on a clock that moves from frame
/// to frame, so that it is the same at every run.
@MainActor public final class Stage {
    public let options: DemoOptions
    /// What everything runs on: the host clock, or one that is moved by hand.
    public let clock: any MediaClock
    /// Of what is drawn on, in points.
    public internal(set) var width: Double
    public internal(set) var height: Double
    /// Pixels a point.
    public internal(set) var scale = 1.0
    /// What became of every frame; of the window's only.
    public let ledger = FrameLedger()

    /// What the window is called; a place for what a demo has come to.
    public var title: String
    /// What keys do to the films; their state is told behind the title.
    public var transport: Transport?
    var opened: (window: Window, presenter: Presenter)?
    var isOver = false
    /// Sinks that play nothing, and the players, all of which wait for each other without a window;
    /// in a window players are watched for films that cannot be played.
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
            // The same picture, larger or smaller.
            scale = Double(wanted.width) / width
            height = Double(wanted.height) / scale
        } else {
            width = Double(wanted.width)
            height = Double(wanted.height)
        }
    }

    /// What the host clock reads: what animations begin at, and outputs are asked for.
    public var time: MediaTime { clock.time }

    /// All there is to draw on, in points.
    public var bounds: LayerRect { LayerRect(x: 0, y: 0, width: width, height: height) }

    /// Closes the window.
    public func quit() { isOver = true }

    /// Has the next frame drawn although its scene is the same: when an effect was changed.
    public func setNeedsDisplay() { opened?.presenter.setNeedsDisplay() }

    // MARK: Players

    /// A player on the stage's clock.
    ///
    /// - Parameters:
    ///   - sink: where its sound goes; nil for none.
    ///   - mayFail: whether the demo goes on in its window where a film cannot be played.
    public func makePlayer(
        _ item: PlayerItem? = nil, sink: (any AudioSink)? = nil, mayFail: Bool = false
    ) -> Player {
        let player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        register(player, mayFail: mayFail)
        return player
    }

    /// Has the demo end with the reason where a player that was made otherwise cannot play its film,
    /// and, where there is no window, its picture waited for.
    public func register(_ player: Player, mayFail: Bool = false) {
        if options.isHeadless || !mayFail { players.append(WaitingPlayer(player)) }
    }

    /// The sound server, or where there is none, a device that nobody hears; taps see all the same.
    public func makeSink(title: String? = nil) -> any AudioSink {
        if !options.isHeadless {
            var pulse = PulseAudioSink.Options()
            pulse.title = title ?? self.title
            if let sink = try? PulseAudioSink(options: pulse) { return sink }
        }
        let sink = NullAudioSink(clock: clock)
        if options.isHeadless { sinks.append(sink) }
        return sink
    }

    /// The films that were named, else the built-in clip.
    public var films: [Asset] {
        options.films.isEmpty ? [Films.builtIn] : options.films.map { URLAsset($0) }
    }
}
