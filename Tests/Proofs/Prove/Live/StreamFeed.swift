// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadThreads
import PlayheadUI

/// A sender of frames in real time, and the host times at which they were sent, in nanoseconds.
struct StreamFeed {
    /// The time at which a frame was sent; nil before that.
    let time: (Int) -> Int64?
    /// The times of all frames so far.
    let times: () -> [Int64]
    /// Ends sending.
    let stop: () -> Void

    init(_ feed: RTSPFeed) {
        time = { feed.time(of: $0) }
        times = { feed.times }
        stop = { feed.stop() }
    }

    /// Sends datagrams to a port of the loopback address, once something receives there.
    init(
        _ frames: Range<Int>, framesPerSecond: Int, to port: Int,
        datagrams: @escaping @Sendable (Int) -> [[UInt8]]
    ) throws {
        let sender = try DatagramSender(port: port)
        let sent = Monitor<[Int: Int64]>([:])
        let isOver = Monitor(false)
        let thread = WorkerThread(name: "prove-datagrams") {
            sender.waitForReceiver()
            let start = HostClock.nanoseconds
            for (index, frame) in frames.enumerated() {
                let due = start + Int64(index) * 1_000_000_000 / Int64(framesPerSecond)
                usleep(UInt32(max(due - HostClock.nanoseconds, 0) / 1000))
                sent.change { $0[frame] = HostClock.nanoseconds }
                for datagram in datagrams(frame) { sender.send(datagram) }
                if isOver.withLock({ $0 }) { return }
            }
        }
        time = { frame in sent.withLock { $0[frame] } }
        times = { sent.withLock { Array($0.values) } }
        stop = {
            isOver.change { $0 = true }
            thread.join()
        }
    }
}
