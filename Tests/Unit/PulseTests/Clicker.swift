// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import PulseTestSupport
import Testing

@testable import PlayheadPulse

/// A player of a click every quarter of a second of item time, 1 ms long.
final class Clicker: Sendable {
    static let interval = 0.25
    let sink: PulseAudioSink
    let timebase: Timebase
    let renderer: AudioRenderer
    let statuses = Monitor<[AudioSinkStatus]>([])
    /// The number of reports at which the device was awake and the sink ran.
    let awakeReports = Monitor(0)
    private let isEnding = Monitor(false)
    private let writer: WorkerThread

    /// - Parameter onStatusChange: Called on the thread of the sink after a change of its status.
    init(
        server: PulseServer, options: PulseAudioOptions = .init(),
        onStatusChange: @escaping @Sendable () -> Void = {}
    ) throws {
        var options = options
        options.server = server.address
        let sink = try PulseAudioSink(options: options)
        let statuses = statuses
        let awakeReports = awakeReports
        let isEnding = isEnding
        timebase = Timebase(masterClock: sink.clock)
        let renderer = AudioRenderer(sink: sink, timebase: timebase) { [weak sink] in
            if let sink {
                statuses.change { $0.append(sink.status) }
                if sink.isAwake, sink.status == .running { awakeReports.change { $0 += 1 } }
            }
            onStatusChange()
        }
        self.sink = sink
        self.renderer = renderer
        writer = WorkerThread(name: "clicker") {
            var frame = 0
            while !isEnding.withLock({ $0 }) {
                let buffer = AudioBuffer(
                    format: renderer.format,
                    presentationTime: MediaTime(value: Int64(frame), timescale: 48_000),
                    frameCount: 1_200
                ) { samples in
                    for index in 0..<1_200 where (frame + index) % 12_000 < 48 {
                        samples[2 * index] = 0.8
                        samples[2 * index + 1] = 0.8
                    }
                }
                var taken = renderer.enqueue(buffer)
                while taken < 1_200, !isEnding.withLock({ $0 }) {
                    _ = renderer.waitUntilReady(frames: 1_200 - taken, nanoseconds: 50_000_000)
                    taken += renderer.enqueue(buffer, startingAt: taken)
                }
                frame += 1_200
            }
        }
    }

    func end() {
        isEnding.change { $0 = true }
        writer.join()
        renderer.invalidate()
    }

    /// Starts at item time `item` when the host clock reads `host`.
    func play(at item: MediaTime, hostTime: Int64) {
        let clockTime = sink.clock.time(atHostTime: MediaTime(nanoseconds: hostTime))
        timebase.setRate(1, time: item, atMasterTime: clockTime, holdingUntilThen: true)
    }

    /// Returns the offsets of the recorded clicks from the timebase, in milliseconds.
    func errors(_ recording: PulseRecorder.Recording, after start: Int64 = 0) -> [Double] {
        recording.onsets().compactMap { frame in
            guard let host = recording.hostTime(ofFrame: Double(frame)), host > start else {
                return nil
            }
            let item = timebase.time(atHostTime: MediaTime(nanoseconds: host)).seconds
            let nearest = (item / Self.interval).rounded() * Self.interval
            return (item - nearest) * 1_000
        }
    }

    /// Returns the offsets of the newest `count` clicks from the timebase, minus `offset`, in
    /// milliseconds, as soon as they are within 2 ms. A clock with few readings, as on a busy
    /// machine, may start some milliseconds off and settles within seconds. If the clicks never
    /// settle, these are the last errors of two minutes.
    func settledErrors(
        _ recorder: PulseRecorder, after start: Int64 = 0, offset: Double = 0, count: Int = 6
    ) -> [Double] {
        func newest(_ recording: PulseRecorder.Recording) -> [Double] {
            errors(recording, after: start).suffix(count).map { $0 - offset }
        }
        let recording = recorder.wait(seconds: 120) {
            let errors = newest($0)
            return errors.count == count && typical(errors) < 2
        }
        return newest(recording)
    }
}

/// Returns the median of the magnitudes: a machine busy with other work may delay one click, but
/// not shift them all. Scripts/prove/avsync measures the worst one on a quiet machine.
func typical(_ errors: [Double]) -> Double {
    let sorted = errors.map(abs).sorted()
    return sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
}
