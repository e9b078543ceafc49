// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadThreads
import PlayheadUI
import Synchronization

/// Polls a window's pixels on the X server's screen a thousand times a second, and records when
/// they begin to show another frame.
///
/// - Concurrency: `begin` and `end` on one thread.
final class ScreenWatch: Sendable {
    /// A frame that appeared on the screen.
    struct Sighting: Sendable {
        /// The host time of the poll that found it first, in nanoseconds, and of the poll before.
        var hostTime: Int64
        var lookBefore: Int64
        var frame: Int
        /// A Boolean value that indicates whether the frame's lower right was white.
        var isFlash: Bool
    }

    private let server: XServer
    private let window: FrameNumberStrip.Area
    private let source: (width: Int, height: Int)
    private let isEnding = Atomic<Bool>(false)
    private let sightings = Mutex<[Sighting]>([])
    private let thread = Mutex<WorkerThread?>(nil)

    init(_ server: XServer, window: FrameNumberStrip.Area, source: (width: Int, height: Int)) {
        self.server = server
        self.window = window
        self.source = source
    }

    func begin() {
        let thread = WorkerThread(name: "proof-screen") { [self] in watch() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends polling; returns the frames seen.
    func end() -> [Sighting] {
        isEnding.store(true, ordering: .relaxed)
        thread.withLock { $0 }?.join()
        return sightings.withLock { $0 }
    }

    private func watch() {
        var last: Int?
        var lookBefore = HostClock.nanoseconds
        while !isEnding.load(ordering: .relaxed) {
            let frame = FrameNumberStrip.read(
                fromRGBA: server.pixels, width: XServer.width, height: XServer.height,
                bytesPerRow: server.bytesPerRow, picture: window, sourceWidth: source.width,
                sourceHeight: source.height)
            let now = HostClock.nanoseconds
            // An unreadable number is a frame that is being written.
            if let frame, frame != last {
                last = frame
                // Pixels are written from top to bottom; the flash is below the number.
                usleep(2_000)
                let sighting = Sighting(
                    hostTime: now, lookBefore: lookBefore, frame: frame, isFlash: isWhite)
                sightings.withLock { $0.append(sighting) }
            }
            lookBefore = now
            usleep(1_000)
        }
    }

    /// A Boolean value that indicates whether the middle of the frame's lower right quarter is
    /// white.
    private var isWhite: Bool {
        let x = Int(window.x + window.width * 0.75)
        let y = Int(window.y + window.height * 0.75)
        return server.pixels[y * server.bytesPerRow + x * 4 + 1] > 128
    }
}
