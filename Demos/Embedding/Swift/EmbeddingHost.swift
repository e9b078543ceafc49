// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// A video that a host draws in its own loop and its own OpenGL context, in Swift.
///
///     EmbeddingHost FILE [--effect NAME] [--headless --frames N -o OUT.png]
///
/// Space pauses and resumes playback; q and Escape quit. Without a window, the host determines the
/// time: each frame is a thirtieth of a second, however long it takes to draw. The last frame is
/// written to a file.
@main
struct EmbeddingHost {
    var film = ""
    var effect: String?
    var output = "out.png"
    var frames = 30
    var isHeadless = false

    @MainActor static func main() {
        var host = EmbeddingHost()
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--headless": host.isHeadless = true
            case "--frames": host.frames = arguments.popFirst().flatMap { Int($0) } ?? 30
            case "--effect": host.effect = arguments.popFirst()
            case "-o": host.output = arguments.popFirst() ?? host.output
            default: host.film = argument
            }
        }
        guard !host.film.isEmpty else {
            end("usage: EmbeddingHost FILE [--effect NAME] [--headless --frames N -o OUT.png]", 1)
        }
        do {
            if host.isHeadless { try host.runHeadless() } else { try host.runInWindow() }
        } catch {
            end("\(error)", error is WindowError || error is GLError ? 3 : 2)
        }
    }

    private static func note(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }

    private static func end(_ line: String, _ status: Int32) -> Never {
        note(line)
        exit(status)
    }

    /// Returns a scene, and the output that provides a player's frames to it.
    private func scene(_ player: Player) throws -> (Scene, PlayerItemVideoOutput) {
        let output = PlayerItemVideoOutput()
        let item = PlayerItem(asset: URLAsset(film))
        item.add(output)
        player.replaceCurrentItem(with: item)
        let effects = try effect.map { [EffectInstance(try EffectLibrary.load($0))] }
        return (Scene(layers: [Layer(.video(output), effects: effects ?? [])]), output)
    }

    private func runHeadless() throws {
        // The host's own OpenGL context, which Playhead uses in each frame.
        let hosts = try HeadlessContext()
        let context = try GLHostContext()
        let state = GLHostState(mode: .restoreAll, unitBase: 0)
        let target = try GLFramebuffer(width: 640, height: 360, context: hosts)
        state.enter()
        let renderer = VideoRenderer(context: context)
        state.leave()

        let clock = ManualClock()
        let player = Player(audioSink: nil, masterClock: clock)
        let (scene, pictures) = try scene(player)
        player.play()
        while player.timeControlStatus != .playing {
            if let error = player.currentItem?.error { throw error }
            usleep(500)
        }
        for frame in 0..<frames {
            if frame > 0 { clock.advance(by: MediaTime(nanoseconds: 1_000_000_000 / 30)) }
            // A game draws the frame that is available. A program that writes files waits for every
            // frame.
            _ = pictures.waitForPixelBuffer(after: pictures.itemTime(forHostTime: clock.time))
            state.enter()
            let report = renderer.render(scene, hostTime: clock.time, into: RenderTarget(target))
            state.leave()
            for problem in report.problems { Self.note("\(problem)") }
        }
        try ImageFile.writePNG(target.image(), to: output)
        withExtendedLifetime(hosts) {}
    }

    @MainActor private func runInWindow() throws {
        var configuration = WindowConfiguration(title: film)
        configuration.swapInterval = .vsync
        let window = try Window(configuration)
        let context = window.context
        try context.makeCurrent()
        let renderer = VideoRenderer(context: context)
        let player = Player(audioSink: try? PulseAudioSink())
        let (scene, _) = try scene(player)
        var (isOpen, isStale) = (true, true)
        window.eventHandler = { event in
            switch event {
            case .closeRequested: isOpen = false
            case .key(let key) where key.action == .press && PlayerWindow.quits(key): isOpen = false
            case .key(let key) where key.action == .press && key.key == .space:
                player.rate == 0 ? player.play() : player.pause()
            case .framebufferResized, .refreshNeeded: isStale = true
            default: break
            }
        }
        defer { window.close() }
        player.play()
        var hasDrawn = false
        while isOpen, player.currentItem?.hasPlayedToEnd == false {
            // Swapping the buffers waits for the display. If there is nothing to swap, the loop
            // waits here.
            MainLoop.shared.turn(waitingAtMost: hasDrawn ? 0 : 0.004)
            if let error = player.currentItem?.error { throw error }
            let size = window.framebufferSize
            let report = renderer.render(
                scene, hostTime: HostClock.shared.time,
                into: .window(width: size.width, height: size.height),
                redraw: isStale ? .always : .ifChanged)
            for problem in report.problems { Self.note("\(problem)") }
            (hasDrawn, isStale) = (report.wasDrawn, false)
            if hasDrawn { context.swapBuffers() }
        }
    }
}
