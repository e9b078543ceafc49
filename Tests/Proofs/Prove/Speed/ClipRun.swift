// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MediaTestSupport
import PlayheadUI

/// One video drawn frame by frame into a framebuffer, as fast as possible, in a process of its own:
/// the time, processor time and memory used.
struct ClipRun: Codable {
    var frames = 0
    /// Seconds from the start of the process to the first frame, and to the last.
    var firstPicture = 0.0
    var wall = 0.0
    var processor = 0.0
    /// The peak, in megabytes.
    var memory = 0
    /// The median duration of an upload on the render thread, in milliseconds; nil if it is not
    /// known.
    var upload: Double?

    static let (width, height) = (1280, 720)

    /// Finishes a run in which everything has been drawn.
    mutating func finish() {
        GLState.finish()
        wall = Self.seconds()
        processor = Machine.ownSeconds
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        memory = usage.ru_maxrss / 1000
    }

    /// Records a frame.
    mutating func add() {
        if frames == 0 {
            GLState.finish()
            firstPicture = Self.seconds()
        }
        frames += 1
    }

    /// Returns the seconds since the process began, by proc(5): field 22 of /proc/self/stat, in
    /// ticks since boot.
    private static func seconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let text = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        // The name, in parentheses, may contain anything.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        let ticks = fields.count > 19 ? Double(fields[19]) ?? 0 : 0
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
            - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Runs this program as a process of its own, with arguments that make it draw a video and
    /// print the resources used.
    ///
    /// - Parameter conversion: the processor that converts frames, a value of
    ///   `PLAYHEAD_CONVERSION`.
    static func inProcess(_ arguments: [String], conversion: String) throws -> ClipRun {
        let result = try ProcessRunner.run(
            [try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")]
                + arguments,
            environment: ["PLAYHEAD_CONVERSION": conversion, "DISPLAY": nil],
            deadline: .seconds(300))
        guard result.status == 0 else {
            throw CannotProve("\(arguments.joined(separator: " ")): \(result.standardError)")
        }
        return try JSONDecoder().decode(ClipRun.self, from: Data(result.standardOutput))
    }

    /// Prints the result, in the process of its own.
    func printed() throws {
        print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }

    /// Draws a video with our renderer.
    static func ours(_ film: String, effects: [EffectInstance] = []) throws -> ClipRun {
        var run = ClipRun()
        let clock = ManualClock()
        let item = PlayerItem(asset: URLAsset(film))
        let output = PlayerItemVideoOutput()
        item.add(output)
        let player = Player(playerItem: item, audioSink: nil, masterClock: clock)
        player.rate = 1
        let surface = try OffscreenSurface(width: width, height: height)
        try surface.context.makeCurrent()
        let ledger = FrameLedger()
        let presenter = FramePresenter(surface: surface, ledger: ledger)
        let scene = Scene(layers: [Layer(.video(output), effects: effects)])
        while player.timeControlStatus != .playing, item.error == nil { usleep(500) }
        if let error = item.error { throw error }
        var failure: (any Error)?
        let link = ManualDisplayLink(clock: clock, schedule: VsyncSchedule(vsyncs: 60)) { tick in
            do {
                _ = try presenter.present(scene, of: item, through: output, at: tick)
            } catch {
                failure = error
            }
        }
        var time = item.currentTime
        while true {
            let next = output.waitForPixelBuffer(after: time)
            let target = item.timebase.hostTime(at: time) ?? clock.time
            let before = ledger.presentedCount
            link.tick(at: clock.time, target: target)
            clock.advance(to: target)
            if let failure { throw failure }
            if ledger.presentedCount > before { run.add() }
            guard let next else { break }
            time = next
        }
        run.finish()
        run.upload = ledger.statistics.upload.p50
        surface.context.clearCurrent()
        return run
    }

    /// Draws a video with libmpv's render API, into a framebuffer of the same size.
    static func libmpv(_ film: String) throws -> ClipRun {
        var run = ClipRun()
        let context = try HeadlessContext()
        let target = try GLFramebuffer(width: width, height: height, context: context)
        let renderer = try MPVRenderer(film: film)
        while try renderer.waitForFrame() {
            renderer.render(framebuffer: target.name, width: width, height: height)
            run.add()
        }
        run.finish()
        return run
    }
}
