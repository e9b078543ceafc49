// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadUI
import Synchronization

/// Repeated saves of an effect's file while a video plays through it.
final class ReloadRun: @unchecked Sendable {
    // Unchecked: `presenter` belongs to the render thread, `seen` is locked, and the rest to the
    // thread that plays.
    private let film: SyntheticMedia
    private let file: String
    private let path: String
    private let saves: Int
    private let surface: StripSurface
    private let instance: EffectInstance
    private var presenter: FramePresenter?
    private let ledger = FrameLedger()
    private let scene = Mutex(Scene())
    private let seen = Mutex(Seen())
    private let outcomes = Mutex((reloaded: 0, failed: 0, reloadTime: Int64(0)))
    private var latencies: [Double] = []
    /// The time of each save until the new version was compiled, or until it was visible if that
    /// was earlier.
    private var compilations: [Double] = []
    private var missed: [String] = []
    private var memory: (early: Resources, late: Resources)?
    private var programs: (early: Int, late: Int) = (0, 0)
    private(set) var frames = (due: 0, seen: 0)
    private var generator = SplitMix64(seed: 7)

    /// The state read from the pixels of presented frames.
    private struct Seen {
        var code = -1
        var codeTime: Int64 = 0
        var numbers: Set<Int> = []
        var failure: GLError?
    }

    init(
        _ film: SyntheticMedia, in window: (width: Int, height: Int), folder: TemporaryFolder,
        saves: Int
    ) throws {
        self.film = film
        file = try SyntheticClip(film).url().path
        self.saves = saves
        path = folder.appending("live.fs").path
        try Self.text(code: 0).write(toFile: path, atomically: true, encoding: .utf8)
        instance = EffectInstance(try EffectLibrary.load(path))
        surface = try StripSurface(
            size: window, source: (film.width, film.height))
    }

    /// Returns a shader that paints a number into the upper right corner, and whose machine code is
    /// unique.
    private static func text(code: Int, isBroken: Bool = false) -> String {
        let (red, green, blue) = (code >> 8 & 15, code >> 4 & 15, code & 15)
        return """
            /*{ "DESCRIPTION": "Save \(code)", "INPUTS": [
                { "NAME": "inputImage", "TYPE": "image" },
                { "NAME": "amount", "TYPE": "float", "DEFAULT": 0.2, "MIN": 0.0, "MAX": 1.0 } ] }*/
            const vec3 code = vec3(\(red).0, \(green).0, \(blue).0) * 17.0 / 255.0;
            void main() {
                vec4 source = IMG_THIS_PIXEL(inputImage);
                float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
                vec3 tinted = mix(source.rgb, vec3(luma), amount + \(code).0e-7);
                bool isCorner = isf_FragNormCoord.x > 0.96 && isf_FragNormCoord.y > 0.9;
                gl_FragColor = vec4(isCorner ? code : tinted, \(isBroken ? "sourceAlpha" : "1.0"));
            }

            """
    }

    func play() throws {
        let link = DisplayLink(
            source: SimulatedDisplay(schedule: VsyncSchedule(vsyncs: 60)), name: "proof-render"
        ) { [self] tick in present(scene.withLock { $0 }, at: tick) }
        defer { link.invalidate() }
        let failure = link.performAndWait { [self] () -> GLError? in
            do throws(GLError) {
                try surface.context.makeCurrent()
                presenter = FramePresenter(surface: surface, ledger: ledger)
                return nil
            } catch {
                return error
            }
        }
        if case .some(.some(let failure)) = failure { throw failure }
        let watcher = try EffectWatcher { [self] event in
            outcomes.withLock {
                switch event {
                case .reloaded:
                    $0.reloaded += 1
                    $0.reloadTime = HostClock.nanoseconds
                case .failed: $0.failed += 1
                case .applied, .presetFailed: break
                }
            }
        }
        watcher.watch(instance)
        var done = 0
        repeat {
            done = try playOnce(from: done, link)
        } while done < saves
        takeStock(link)
        link.perform { [self] in
            presenter = nil
            surface.free()
            surface.context.deletionQueue.drain()
            surface.context.clearCurrent()
        }
        if let failure = seen.withLock({ $0.failure }) { throw failure }
    }

    /// Records the resources; the first values are the baseline.
    private func takeStock(_ link: DisplayLink) {
        let live =
            link.performAndWait { [surface] in
                surface.context.deletionQueue.drain()
                return surface.context.deletionQueue.liveCount(.program)
            } ?? 0
        let now = Resources.now
        if memory == nil {
            memory = (early: now, late: now)
            programs.early = live
        }
        memory?.late = now
        programs.late = live
    }

    private func present(_ scene: Scene, at tick: DisplayTick) {
        guard let presenter else { return }
        do throws(GLError) {
            let problems = try presenter.present(scene, of: nil, through: nil, at: tick)
            guard presenter.hasChanged, problems.isEmpty, let rows = surface.rows else { return }
            let pixel = (rows.height / 2 * rows.width + rows.width - 8) * 4
            func digit(_ channel: Int) -> Int { (Int(rows.bytes[pixel + channel]) + 8) / 17 }
            let code = digit(0) << 8 | digit(1) << 4 | digit(2)
            let number = surface.shown
            seen.withLock { seen in
                if let number { seen.numbers.insert(number) }
                if code != seen.code { (seen.code, seen.codeTime) = (code, HostClock.nanoseconds) }
            }
        } catch {
            seen.withLock { $0.failure = error }
        }
    }

    /// Plays the video from start to end, and saves meanwhile.
    private func playOnce(from first: Int, _ link: DisplayLink) throws -> Int {
        let item = PlayerItem(asset: URLAsset(file))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil)
        scene.withLock { $0 = Scene(layers: [Layer(.video(output), effects: [instance])]) }
        seen.withLock { $0.numbers = [] }
        link.isPaused = false
        // The first frames compile all shaders, and are not measured.
        let deadline = HostClock.nanoseconds + 20_000_000_000
        while seen.withLock({ $0.numbers.isEmpty }), HostClock.nanoseconds < deadline {
            usleep(5000)
        }
        player.play()
        usleep(300_000)
        var save = first
        while save < saves, item.duration - item.currentTime > MediaTime(value: 2, timescale: 1) {
            save += 1
            Progress.show("save \(save) of \(saves), \(missed.count) missed")
            try self.save(save)
            if save == 40 { takeStock(link) }
            usleep(UInt32(generator.next() % 60_000))
        }
        while !item.hasPlayedToEnd, item.error == nil { usleep(20_000) }
        usleep(100_000)
        if let error = item.error { throw error }
        player.pause()
        let count = film.frameTimes?.count ?? 0
        frames.due += count
        frames.seen += seen.withLock { $0.numbers.count }
        return save
    }

    /// Saves once, and waits for the result.
    private func save(_ number: Int) throws {
        let isBroken = number % 2 == 0
        let code = number % 4095 + 1
        let text = Self.text(code: code, isBroken: isBroken)
        let failed = outcomes.withLock { $0.failed }
        let start = HostClock.nanoseconds
        if number / 2 % 2 == 0 {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            try Data(text.utf8).write(to: URL(filePath: path))
        }
        while HostClock.nanoseconds - start < 2_000_000_000 {
            if isBroken {
                if outcomes.withLock({ $0.failed }) > failed { return }
            } else {
                let (shown, time) = seen.withLock { ($0.code, $0.codeTime) }
                if shown == code {
                    latencies.append(Double(time - start) / 1e6)
                    // The notification comes after the shader can be drawn, so a frame may come
                    // before it.
                    let compiled = min(outcomes.withLock { $0.reloadTime }, time)
                    if compiled > start { compilations.append(Double(compiled - start) / 1e6) }
                    return
                }
            }
            usleep(500)
        }
        missed.append("save \(number), \(isBroken ? "broken" : "good"), had no effect")
    }

    func add(to report: inout Report, others: Machine.Others) {
        let sample = Sample(latencies)
        let p95 = sample.magnitude(ofShare: 0.95)
        report.add("others", "used \(others) of the machine")
        report.add(
            "save to first frame",
            String(
                format: "%d good saves: median %.1f ms, p95 %.1f, longest %.1f", latencies.count,
                sample.magnitude(ofShare: 0.5), p95, sample.largest))
        let compiling = Sample(compilations)
        report.add(
            "of that, until compiled",
            String(
                format: "median %.1f ms, p95 %.1f, longest %.1f", compiling.magnitude(ofShare: 0.5),
                compiling.magnitude(ofShare: 0.95), compiling.largest))
        let outcomes = outcomes.withLock { $0 }
        report.add("saves", "\(outcomes.reloaded) reloaded, \(outcomes.failed) reported an error")
        report.add("frames", "\(frames.seen) of \(frames.due) seen")
        report.add("programs", "\(programs.early) at first, \(programs.late) at the end")
        if let memory {
            report.add("at first", memory.early)
            report.add("at the end", memory.late)
            report.require(
                memory.late.memory - memory.early.memory < 32 << 10,
                "memory grew by \((memory.late.memory - memory.early.memory) >> 10) MiB")
        }
        for line in missed.prefix(3) { report.require(false, line) }
        report.require(p95 < 100, "p95 from save to first frame is \(p95) ms")
        report.require(frames.seen == frames.due, "\(frames.due - frames.seen) frames never seen")
        report.require(programs.late <= programs.early, "programs grew")
    }
}
