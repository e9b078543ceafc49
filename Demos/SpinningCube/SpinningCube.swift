// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// Videos on the faces of a cube that the program draws with its own OpenGL calls: an example of
/// video in a game.
@main @MainActor final class SpinningCube {
    private static let size = WindowSize(width: 960, height: 600)
    /// The speed at which the cube rotates by itself, in radians per second.
    nonisolated private static let speed = 0.45

    private let window: Window
    private let link: DisplayLink
    private let films: FilmLoops
    private let transport: Transport
    private let game: Game
    private var grip: WindowPoint?
    private var isOver = false

    static func main() {
        let options = DemoOptions.ofProcess()
        do {
            if options.isHeadless {
                try drawPicture(options)
            } else {
                try SpinningCube(options).run()
            }
        } catch {
            DemoOptions.fail(error)
        }
    }

    private init(_ options: DemoOptions) throws {
        window = try Window(WindowConfiguration(title: "SpinningCube", size: Self.size))
        films = FilmLoops(options.films, clock: HostClock.shared)
        transport = Transport(films.players)
        let (game, context) = (Game(try Faces(films.outputs)), window.context)
        self.game = game
        link = DisplayLink(source: window.makeVsyncSource()) { tick in
            let size = context.framebufferSize
            game.change { if !$0.isHeld { $0.turn += Self.speed * tick.duration.seconds } }
            game.draw(
                hostTime: tick.targetTimestamp,
                into: .window(width: size.width, height: size.height))
            context.swapBuffers()
        }
        try link.performAndWait {
            try context.makeCurrent()
            try game.prepare(context, context.procAddress)
        }
    }

    private func run() throws {
        window.eventHandler = { [unowned self] in handle($0) }
        films.play()
        link.isPaused = false
        defer {
            link.perform { [game, context = window.context] in
                game.end()
                context.clearCurrent()
            }
            link.invalidate()
            window.close()
        }
        while !isOver {
            MainLoop.shared.turn(waitingAtMost: 0.1)
            let title = "SpinningCube" + transport.words
            if window.title != title { window.title = title }
            if let failure = films.failure { throw failure }
        }
    }

    private func handle(_ event: WindowEvent) {
        if transport.handle(event) {
            // The cube stops and continues together with its videos.
            let isHeld = !transport.isPlaying
            var isReset = false
            if case .key(let key) = event { isReset = key.key == .home }
            game.change { [isReset] pose in
                if isReset { pose = Cube.Pose() }
                pose.isHeld = isHeld
            }
            return
        }
        switch event {
        case .closeRequested: isOver = true
        case .key(let key) where key.action == .press && PlayerWindow.quits(key): isOver = true
        case .key(let key) where key.action == .press && key.shortcutKey == Key("f"):
            window.toggleFullscreen()
        case .button(let button) where button.button == .left:
            grip = button.isPressed ? button.position : nil
            let isHeld = button.isPressed || !transport.isPlaying
            game.change { $0.isHeld = isHeld }
        case .pointerMoved(let point):
            guard let last = grip else { return }
            grip = point
            game.change {
                $0.turn += (point.x - last.x) * 0.01
                $0.tilt = min(max($0.tilt + (point.y - last.y) * 0.01, -1.4), 1.4)
            }
        case .scrolled(let scroll):
            game.change { $0.distance = min(max($0.distance - scroll.y * 0.15, 1.6), 6) }
        default: break
        }
    }

    /// Draws without a window. Each frame is a sixtieth of a second, however long it takes to draw.
    private static func drawPicture(_ options: DemoOptions) throws {
        let context = try HeadlessContext()
        let target = try GLFramebuffer(
            width: options.size?.width ?? size.width, height: options.size?.height ?? size.height,
            context: context)
        let clock = ManualClock()
        let films = FilmLoops(options.films, clock: clock)
        let game = Game(try Faces(films.outputs))
        try game.prepare(context, context.procAddress)
        films.play()
        for frame in 0..<options.frames {
            clock.advance(to: MediaTime(value: Int64(frame), timescale: 60))
            try films.wait()
            game.draw(hostTime: clock.time, into: RenderTarget(target))
            game.change { $0.turn += speed / 60 }
        }
        try ImageFile.writePNG(target.image(), to: options.output)
        game.end()
    }
}
