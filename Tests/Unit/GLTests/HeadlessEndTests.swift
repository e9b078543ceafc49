// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphicsTestSupport
import PlayheadGL
import PlayheadThreads
import Synchronization
import Testing

@Suite("Headless contexts at exit")
struct HeadlessEndTests {
    /// A reference that a decoder's thread may hold longer than any other.
    private static let held = Mutex<HeadlessContext?>(nil)
    /// `eglQueryContext` of that context, for an attribute that every context has.
    private static let exists = Mutex<@Sendable () -> Bool>({ false })

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `releasing the last reference during exit calls no function of EGL`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Registered first, so it is called after the handlers that a context registers.
            atexit {
                HeadlessEndTests.held.withLock { $0 = nil }
                _exit(HeadlessEndTests.exists.withLock { $0() } ? 7 : 1)
            }
            try HeadlessEndTests.remember(HeadlessContext())
            exit(0)
        }
    }

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `releasing the last reference destroys the context before exit`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try HeadlessEndTests.remember(HeadlessContext())
            HeadlessEndTests.held.withLock { $0 = nil }
            _exit(HeadlessEndTests.exists.withLock { $0() } ? 1 : 7)
        }
    }

    /// A Boolean value that indicates whether a thread that draws has ended.
    private static let hasEnded = Atomic(false)

    @Test(.enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
    func `threads that draw end before the exit handlers of EGL are called`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Registered first, so it is called after the handlers that a context registers.
            atexit {
                _exit(HeadlessEndTests.hasEnded.load(ordering: .relaxed) ? 7 : 1)
            }
            let drawnCount = Monitor(0)
            let isEnding = Monitor(false)
            let thread = HeadlessThreads.shared.start(
                name: "test-draw", end: { isEnding.change { $0 = true } }
            ) {
                guard let context = try? HeadlessContext() else { _exit(2) }
                while !isEnding.withLock({ $0 }) {
                    _ = try? GLTexture(format: .rgba8, width: 8, height: 8, context: context)
                    context.deletionQueue.drain()
                    drawnCount.change { $0 += 1 }
                }
                context.clearCurrent()
                HeadlessEndTests.hasEnded.store(true, ordering: .relaxed)
            }
            #expect(thread != nil)
            _ = drawnCount.wait { $0 > 2 ? true : nil }
            exit(0)
        }
    }

    @Test func `no thread starts after the end`() {
        let threads = HeadlessThreads()
        let isEnding = Monitor(false)
        let thread = threads.start(name: "test-draw", end: { isEnding.change { $0 = true } }) {
            _ = isEnding.wait { $0 ? true : nil }
        }
        #expect(thread != nil)
        threads.end()
        #expect(threads.start(name: "test-draw", end: {}) {} == nil)
    }

    private static func remember(_ context: HeadlessContext) throws {
        typealias Get = @convention(c) () -> OpaquePointer?
        typealias Query =
            @convention(c) (OpaquePointer?, OpaquePointer?, Int32, UnsafeMutablePointer<Int32>) ->
            UInt32
        let display = unsafeBitCast(
            try #require(context.procAddress("eglGetCurrentDisplay")), to: Get.self)()
        let handle = unsafeBitCast(
            try #require(context.procAddress("eglGetCurrentContext")), to: Get.self)()
        let query = unsafeBitCast(
            try #require(context.procAddress("eglQueryContext")), to: Query.self)
        let (displayBits, handleBits) = (Int(bitPattern: display), Int(bitPattern: handle))
        context.clearCurrent()
        held.withLock { $0 = context }
        exists.withLock {
            $0 = {
                var version: Int32 = 0
                let clientVersion: Int32 = 0x3098  // EGL_CONTEXT_CLIENT_VERSION
                return query(
                    OpaquePointer(bitPattern: displayBits), OpaquePointer(bitPattern: handleBits),
                    clientVersion, &version) != 0
            }
        }
    }
}
