// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import PlayheadBuffers
import PlayheadDisplay
import PlayheadGL
import PlayheadThreads
import PlayheadTime
import PlayheadWindow

/// The scenarios that the host can run.
@MainActor enum Scenario {
    static let size = WindowSize(width: 320, height: 240)

    /// Clears a window with OpenGL on the render thread, and reads a pixel back.
    static func clear() throws {
        let window = try Window(WindowConfiguration(title: "clear", size: size))
        let context = window.context
        let link = DisplayLink(source: window.makeVsyncSource()) { _ in }
        let pixel = try link.performAndWait { () throws(GLError) -> String in
            try context.makeCurrent()
            defer { context.clearCurrent() }
            let gl = ClearFunctions(context)
            gl.clearColor(0.2, 0.4, 0.6, 1)
            gl.clear(0x4000)  // GL_COLOR_BUFFER_BIT
            var bytes = [UInt8](repeating: 0, count: 4)
            gl.readPixels(5, 5, 1, 1, 0x1908, 0x1401, &bytes)  // GL_RGBA, GL_UNSIGNED_BYTE
            report("version", String(cString: gl.getString(0x1F02)))  // GL_VERSION
            context.swapBuffers()
            return bytes.map(String.init).joined(separator: ",")
        }
        report("pixel", pixel ?? "none")
        report("framebuffer", context.framebufferSize)
        report("renderer", context.capabilities.renderer)
        link.invalidate()
        MainLoop.shared.turn(waitingAtMost: 0.1)
        _ = getchar()
        window.close()
    }

    /// Replaces a window, as after a lost context, by another one with a new context that works
    /// like the first; and lets two windows share objects.
    static func remake() throws {
        let window = try Window(WindowConfiguration(title: "remake", size: size))
        window.position = WindowPoint(x: 200, y: 100)
        for _ in 0..<3 { MainLoop.shared.turn(waitingAtMost: 0.05) }
        func pixel() throws -> String {
            try window.context.makeCurrent()
            defer { window.context.clearCurrent() }
            GLState.setTarget(
                framebuffer: 0, width: window.context.framebufferSize.width,
                height: window.context.framebufferSize.height)
            GLState.clear([0.2, 0.4, 0.6, 1])
            let image = GLFramebuffer.image(framebuffer: 0, width: 8, height: 8)
            window.context.swapBuffers()
            let color = image[3, 3]
            return "\(color.x),\(color.y),\(color.z)"
        }
        report("before", try pixel())
        let queue = window.context.deletionQueue
        window.isFloating = true
        window.context.loss.simulate()
        try window.remake()
        for _ in 0..<3 { MainLoop.shared.turn(waitingAtMost: 0.05) }
        report("after", try pixel())
        report("renewed", queue !== window.context.deletionQueue && !window.context.loss.isLost)
        report("size", window.context.framebufferSize)
        report("position", "\(Int(window.position.x)),\(Int(window.position.y))")
        report("floating", window.isFloating)
        report("robust", window.context.capabilities.reportsLoss)
        let other = try Window(WindowConfiguration(title: "other", size: size), sharing: window)
        report("shared", other.context.shareGroup === window.context.shareGroup)
        report("freed", try isFreed(window, by: other))
        try window.context.makeCurrent()
        let texture = try GLTexture(
            format: .rgba8, width: 1, height: 1, isShared: true, context: window.context)
        texture.upload([1, 2, 3, 4], bytesPerRow: 4)
        GLState.finish()
        window.context.clearCurrent()
        window.close()
        // Shared objects outlive the window that created them.
        try other.context.makeCurrent()
        texture.upload([5, 6, 7, 8], bytesPerRow: 4)
        report("error", GLState.takeError().map { "\($0)" } ?? "none")
        other.context.clearCurrent()
        other.close()
    }

    /// Returns whether a context is no longer current anywhere once another has replaced it.
    private static func isFreed(_ window: Window, by other: Window) throws -> Bool {
        let context = window.context
        try context.makeCurrent()
        try other.context.makeCurrent()
        defer { other.context.clearCurrent() }
        let link = DisplayLink(source: window.makeVsyncSource()) { _ in }
        defer { link.invalidate() }
        do {
            try link.performAndWait { () throws(GLError) in
                try context.makeCurrent()
                context.clearCurrent()
            }
            return true
        } catch {
            return false
        }
    }

    /// Follows a window's vsyncs, and reports how regular they were.
    static func ticks(_ count: Int) throws {
        let window = try Window(WindowConfiguration(title: "ticks", size: size))
        let ticks = Monitor<[(tick: DisplayTick, now: Int64)]>([])
        let context = window.context
        let link = DisplayLink(source: window.makeVsyncSource()) { tick in
            context.swapBuffers()
            let now = HostClock.nanoseconds
            ticks.change { $0.append((tick, now)) }
            if ticks.withLock({ $0.count }) == count {
                Task { @MainActor in MainLoop.shared.stop() }
            }
        }
        try link.performAndWait { () throws(GLError) in try context.makeCurrent() }
        link.isPaused = false
        MainLoop.shared.run()
        link.perform { context.clearCurrent() }
        link.invalidate()
        let seen = ticks.withLock { $0 }
        let steps = zip(seen, seen.dropFirst()).map { Double($1.now - $0.now) / 1e6 }.sorted()
        let sequences = seen[seen.count - 1].tick.sequence - seen[0].tick.sequence
        report("source", seen[seen.count - 1].tick.source.rawValue)
        report("rate", 1 / seen[seen.count - 1].tick.duration.seconds)
        report("missed", sequences - Int64(seen.count - 1))
        report("p50_ms", steps[steps.count / 2])
        report("p95_ms", steps[steps.count * 95 / 100])
        report("max_ms", steps[steps.count - 1])
        let targets = seen.map { $0.tick.targetTimestamp }
        report("monotonic", zip(targets, targets.dropFirst()).allSatisfy { $0 < $1 })
        window.close()
    }

    /// Reports every event until the key Q is pressed or the window should close.
    static func events() throws {
        let window = try Window(WindowConfiguration(title: "events", size: size))
        window.eventHandler = { event in
            switch event {
            case .key(let key) where key.action == .press:
                let name = key.name ?? "-"
                report("key", "\(key.key.rawValue) \(name) \(key.modifiers.rawValue)")
                if let latin = key.latin { report("latin", "\(latin.plain) \(latin.shifted)") }
                if key.key == Key("q") { MainLoop.shared.stop() }
                if key.key == Key("r") { window.size = WindowSize(width: 400, height: 300) }
            case .text(let scalar): report("text", String(Character(scalar)))
            case .pointerMoved(let point): report("moved", "\(Int(point.x)),\(Int(point.y))")
            case .button(let button) where button.isPressed:
                report("button", "\(button.button) \(button.clickCount)")
            case .scrolled(let scroll): report("scroll", scroll.y)
            case .framebufferResized(let size): report("framebuffer", size)
            case .closeRequested:
                report("close", "")
                MainLoop.shared.stop()
            default: break
            }
        }
        report("ready", "")
        MainLoop.shared.run()
        report("published", window.context.framebufferSize)
        window.close()
    }

    /// Enters full screen and returns.
    static func fullscreen() throws {
        let window = try Window(WindowConfiguration(title: "fullscreen", size: size))
        /// Waits until the window has a size, if it gets it within two minutes, and for what may
        /// still follow.
        func settle(at size: WindowSize) {
            let end = HostClock.nanoseconds + 120_000_000_000
            while window.context.framebufferSize != size, HostClock.nanoseconds < end {
                MainLoop.shared.turn(waitingAtMost: 0.05)
            }
            for _ in 0..<5 { MainLoop.shared.turn(waitingAtMost: 0.05) }
        }
        settle(at: size)
        var whole = size
        for monitor in try DisplayMonitor.all() {
            report("monitor", "\(monitor.name) \(monitor.size) \(monitor.refreshRate ?? 0)")
            whole = monitor.size
        }
        report("before", window.context.framebufferSize)
        window.toggleFullscreen()
        settle(at: whole)
        report("during", "\(window.context.framebufferSize) \(window.isFullscreen)")
        window.isCursorHidden = true
        window.toggleFullscreen()
        settle(at: size)
        report("after", "\(window.context.framebufferSize) \(window.isFullscreen)")
        window.close()
    }

    /// Runs jobs of the main actor, and of the main queue, while the loop waits for events.
    static func tasks(withWindow: Bool) throws {
        let window = withWindow ? try Window(WindowConfiguration(title: "tasks", size: size)) : nil
        MainLoop.shared.turn(waitingAtMost: 0.1)
        let began = HostClock.nanoseconds
        Task { @MainActor in
            report("task", "main actor")
            // Each step leaves the main thread and returns to it.
            for _ in 0..<100 { await Task.detached {}.value }
            report("hops", "100")
            DispatchQueue.global().async {
                DispatchQueue.main.async {
                    report("block", "main queue")
                    MainLoop.shared.stop()
                }
            }
        }
        MainLoop.shared.run()
        report("took_ms", Double(HostClock.nanoseconds - began) / 1e6)
        window?.close()
    }

    /// Idles for two seconds, and reports the processor time used.
    static func idle() throws {
        let window = try Window(WindowConfiguration(title: "idle", size: size))
        let link = DisplayLink(source: window.makeVsyncSource()) { _ in }
        for _ in 0..<5 { MainLoop.shared.turn(waitingAtMost: 0.05) }
        let before = processorMilliseconds
        let timer = WorkerThread(name: "timer") {
            usleep(2_000_000)
            Task { @MainActor in MainLoop.shared.stop() }
        }
        MainLoop.shared.run()
        report("cpu_ms", processorMilliseconds - before)
        timer.join()
        link.invalidate()
        window.close()
    }

    private static var processorMilliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
