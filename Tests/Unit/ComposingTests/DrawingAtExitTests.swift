// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadVideoCompositions
import Synchronization
import Testing

@testable import PlayheadComposing

@Suite("Video compositions at exit")
struct DrawingAtExitTests {
    private typealias S = ComposingSupport

    /// Draws a picture. Returns false if drawing was cancelled.
    private static let draw = Mutex<@Sendable () throws -> Bool>({ false })

    /// Drivers register exit handlers when a function is first used.
    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `drawing ends before handlers are called that were registered while it drew`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let composition = S.composition(
                width: 8, height: 6, [VideoCompositionInstruction(timeRange: S.range(0, 10))])
            let drawer = try S.engine.makeDrawer(for: composition)
            DrawingAtExitTests.draw.withLock {
                $0 = {
                    do throws(VideoCompositionError) {
                        let frame = VideoCompositionFrame(
                            time: S.time(1), duration: composition.frameDuration,
                            instruction: composition.instructions[0], instructionIndex: 0,
                            sourceFrames: [:])
                        _ = try drawer.draw(frame)
                        return true
                    } catch {
                        guard error.code == .cancelled else { throw error }
                        return false
                    }
                }
            }
            guard try DrawingAtExitTests.draw.withLock({ try $0() }) else { _exit(1) }
            atexit {
                let isDrawn = try? DrawingAtExitTests.draw.withLock { try $0() }
                _exit(isDrawn == false ? 7 : 2)
            }
            guard try DrawingAtExitTests.draw.withLock({ try $0() }) else { _exit(3) }
            exit(0)
        }
    }
}
