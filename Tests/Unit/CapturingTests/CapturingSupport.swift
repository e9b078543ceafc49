// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadPlayback
import PlayheadTime
import Synchronization

@testable import PlayheadCapturing

/// A queue whose jobs run when a test says so.
final class HeldQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    var queue: ObservationQueue {
        ObservationQueue { job in self.jobs.withLock { $0.append(job) } }
    }

    var count: Int { jobs.withLock { $0.count } }

    /// Runs the jobs in order, also those that jobs add.
    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    }
}

/// A delegate that records what it is called for.
final class RecordingDelegate: CaptureVideoDataOutputDelegate {
    struct Drop: Hashable {
        var time: MediaTime
        var reason: CaptureDropReason
    }

    struct State {
        var numbers: [Int?] = []
        var times: [MediaTime] = []
        var drops: [Drop] = []
        var kept: [PixelBuffer] = []
        var keeps = false
        var work: (@Sendable () -> Void)?
    }

    let state = Mutex(State())

    var numbers: [Int?] { state.withLock { $0.numbers } }
    var times: [MediaTime] { state.withLock { $0.times } }
    var drops: [Drop] { state.withLock { $0.drops } }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didOutput frame: VideoFrame,
        from connection: CaptureConnection
    ) {
        let work = state.withLock { state in
            state.numbers.append(FrameNumberStrip.read(from: frame.pixelBuffer))
            state.times.append(frame.presentationTime)
            if state.keeps { state.kept.append(frame.pixelBuffer) }
            return state.work
        }
        work?()
    }

    func captureOutput(
        _ output: CaptureVideoDataOutput, didDropFrameAt time: MediaTime,
        reason: CaptureDropReason, from connection: CaptureConnection
    ) {
        state.withLock { $0.drops.append(Drop(time: time, reason: reason)) }
    }
}

/// A session with a synthetic camera on a clock that the test moves.
struct SyntheticSession {
    let clock = ManualClock(time: MediaTime(value: 1000, timescale: 1))
    let camera: SyntheticCamera
    let session = CaptureSession()
    let input: CaptureDeviceInput

    init(
        framesPerSecond: Int32 = 30, width: Int = 256, height: Int = 64,
        pixelFormat: PixelFormat = .yuv420p
    ) throws {
        camera = SyntheticCamera(
            width: width, height: height, framesPerSecond: framesPerSecond,
            pixelFormat: pixelFormat, clock: clock)
        input = CaptureDeviceInput(device: camera.device)
        try session.addInput(input)
    }

    /// The time of a frame by the number that it shows.
    func time(of number: Int) -> MediaTime {
        MediaTime(value: 1000, timescale: 1) + MediaTime(value: Int64(number + 1), timescale: 30)
    }

    /// Moves the clock by a number of frames at 30 a second.
    func advance(frames: Int) {
        clock.advance(by: MediaTime(value: Int64(frames), timescale: 30))
    }

    /// Moves the clock to a little after a frame at 30 a second.
    func advance(pastFrame number: Int) {
        clock.advance(to: time(of: number) + MediaTime(value: 1, timescale: 1000))
    }
}
