// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// The environment of a demo: a window in real time, or an image with a clock that advances frame
/// by frame. Such an image is the same in every run.
@MainActor public final class Stage {
    public let options: DemoOptions
    /// The clock that everything uses: the host clock, or one that is advanced manually.
    public let clock: any MediaClock
    /// The width of the drawing area, in points.
    public internal(set) var width: Double
    public internal(set) var height: Double
    /// The number of pixels in a point.
    public internal(set) var scale = 1.0
    /// The record of the frames that were shown in the window.
    public let ledger = FrameLedger()

    /// The title of the window, with the state of the demo.
    public var title: String
    /// The keys that control playback. The title of the window includes the state of playback.
    public var transport: Transport?
    var opened: (window: Window, presenter: Presenter)?
    var isOver = false
    /// A Boolean value that indicates whether nothing happens while the window is minimised: no
    /// scene is requested then.
    public var sleepsWhileHidden = false
    var isHidden = false
    /// The silent sinks and the players. Without a window, each waits for the others. In a window,
    /// players are observed to detect videos that cannot be played.
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
            // The image has the same content at another size.
            scale = Double(wanted.width) / width
            height = Double(wanted.height) / scale
        } else {
            width = Double(wanted.width)
            height = Double(wanted.height)
        }
    }

    /// The host clock's time. It is used for the start of animations and for requests to outputs.
    public var time: MediaTime { clock.time }

    /// The drawing area, in points.
    public var bounds: LayerRect { LayerRect(x: 0, y: 0, width: width, height: height) }

    /// Closes the window.
    public func quit() { isOver = true }

    /// Draws the next frame even if its scene is unchanged. Call it after changing an effect.
    public func setNeedsDisplay() { opened?.presenter.setNeedsDisplay() }

    // MARK: Players

    /// Creates a player on the stage's clock.
    ///
    /// - Parameters:
    ///   - sink: the destination of the player's audio; nil for none.
    ///   - mayFail: true if the demo keeps its window open when a video cannot be played.
    public func makePlayer(
        _ item: PlayerItem? = nil, sink: (any AudioSink)? = nil, mayFail: Bool = false
    ) -> Player {
        let player = Player(playerItem: item, audioSink: sink, masterClock: clock)
        register(player, mayFail: mayFail)
        return player
    }

    /// Registers a player that was created elsewhere. If the player cannot play its video, the demo
    /// ends with the error. Without a window, the demo waits for the player's frames.
    public func register(_ player: Player, mayFail: Bool = false) {
        if options.isHeadless || !mayFail { players.append(WaitingPlayer(player)) }
    }

    /// Returns a sink that plays on the audio server, or a silent sink if there is no server. Taps
    /// work with both.
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

    /// The videos that the user named; by default, the built-in clip.
    public var films: [Asset] {
        options.films.isEmpty ? [Films.builtIn] : options.films.map { URLAsset($0) }
    }
}
