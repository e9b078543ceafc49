// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadThreads
import PlayheadTime

/// A camera behind an RTSP server: it sends frame after frame, in real time, from the moment when
/// the first session plays.
///
/// - Concurrency: any thread.
/// - Ownership: stops and joins its thread when released or by `stop`.
public final class RTSPFeed: Sendable {
    public typealias Packet = (bytes: [UInt8], channel: UInt8)

    private struct State {
        var times: [Int: Int64] = [:]
        var isStopped = false
    }

    private let state: Monitor<State>
    private let thread: WorkerThread

    /// - Parameters:
    ///   - frames: The numbers of the frames.
    ///   - packets: Returns the packets of a frame.
    public init(
        _ frames: Range<Int>, framesPerSecond: Int, to server: RTSPServer,
        packets: @escaping @Sendable (Int) -> [Packet]
    ) {
        let state = Monitor(State())
        self.state = state
        thread = WorkerThread(name: "test-camera") {
            while !server.hasPlayer {
                if state.withLock({ $0.isStopped }) { return }
                usleep(1000)
            }
            let start = HostClock.nanoseconds
            for (index, number) in frames.enumerated() {
                let due = start + Int64(index) * 1_000_000_000 / Int64(framesPerSecond)
                usleep(UInt32(max(due - HostClock.nanoseconds, 0) / 1000))
                let isStopped = state.change { state in
                    state.times[number] = HostClock.nanoseconds
                    return state.isStopped
                }
                if isStopped { return }
                for packet in packets(number) {
                    server.send(packet.bytes, channel: packet.channel)
                }
            }
        }
    }

    /// Sends a video over channel 0.
    public convenience init(
        _ video: RTPVideo, from first: Int = 0, start: UInt32 = 0, to server: RTSPServer
    ) {
        self.init(
            first..<video.frameCount, framesPerSecond: video.framesPerSecond, to: server
        ) { number in
            video.packets(of: number, start: start).map { ($0, 0) }
        }
    }

    deinit { stop() }

    /// The host time at which a frame was sent, in nanoseconds; nil before that.
    public func time(of frame: Int) -> Int64? { state.withLock { $0.times[frame] } }

    /// The host times at which frames were sent, in nanoseconds.
    public var times: [Int64] { state.withLock { Array($0.times.values) } }

    /// The number of the frame that was sent last; nil before the first one.
    public var last: Int? { state.withLock { $0.times.keys.max() } }

    public func stop() {
        state.change { $0.isStopped = true }
        thread.join()
    }
}
