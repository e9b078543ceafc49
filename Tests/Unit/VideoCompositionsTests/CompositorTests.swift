// SPDX-License-Identifier: Apache-2.0

import Glibc
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadVideoCompositions

/// The life cycle of requests to a compositor of one's own.
@Suite struct CompositorTests {
    /// Records its calls, and ends requests as a closure says.
    private final class Recorder: VideoCompositing {
        let calls = Mutex<[String]>([])
        let requests = Mutex<[VideoCompositionRequest]>([])
        let body: @Sendable (VideoCompositionRequest) -> Void

        init(_ body: @escaping @Sendable (VideoCompositionRequest) -> Void) { self.body = body }

        func note(_ call: String) { calls.withLock { $0.append(call) } }

        func renderContextChanged(_ context: VideoCompositionRenderContext) {
            note("context \(context.size.width) x \(context.size.height)")
        }

        func anticipateRendering(_ hint: VideoCompositionRenderHint) {
            note("hint \(hint.startTime.seconds) to \(hint.endTime.seconds)")
        }

        func startRequest(_ request: VideoCompositionRequest) {
            note("start \(request.compositionTime.seconds)")
            requests.withLock { $0.append(request) }
            body(request)
        }

        func cancelAllPendingRequests() {
            note("cancel")
            for request in requests.withLock({ $0 }) { request.finishCancelledRequest() }
        }
    }

    private static let size = (width: 4, height: 2)

    private static func picture(_ width: Int = 4, _ height: Int = 2) -> PixelBuffer {
        PixelBuffer(format: .rgba, width: width, height: height) { _, _, _ in }
    }

    private let composition: VideoComposition = {
        var composition = VideoComposition(
            renderSize: size, frameDuration: MediaTime(value: 1, timescale: 4))
        composition.instructions = [
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(
                    start: .zero, duration: MediaTime(value: 9, timescale: 1)))
        ]
        return composition
    }()

    private func frame(_ quarter: Int64) -> VideoCompositionFrame {
        VideoCompositionFrame(
            time: MediaTime(value: quarter, timescale: 4), duration: composition.frameDuration,
            instruction: composition.instructions[0], instructionIndex: 0,
            sourceFrames: [
                3: VideoFrame(
                    pixelBuffer: Self.picture(), presentationTime: .zero, duration: .invalid,
                    isKeyframe: true)
            ])
    }

    private func drawer(
        _ compositor: Recorder, limit: Int64? = nil
    ) throws -> CompositorDrawer {
        try CompositorDrawer(compositor, composition: composition, limit: limit) { $0 }
    }

    /// Returns the cause of the error that drawing a frame throws.
    private func cause(
        _ limit: Int64? = nil, _ body: @escaping @Sendable (VideoCompositionRequest) -> Void
    ) throws -> String? {
        let drawer = try drawer(Recorder(body), limit: limit)
        let error = #expect(throws: VideoCompositionError.self) {
            _ = try drawer.draw(self.frame(2))
        }
        #expect(error?.code == .compositorFailed)
        #expect(error?.time == MediaTime(value: 1, timescale: 2))
        #expect(error?.instructionIndex == 0)
        return error?.cause
    }

    @Test func `the context comes first, then a hint before each request, empty after a seek`()
        throws
    {
        let recorder = Recorder { $0.finish(with: Self.picture()) }
        let drawer = try drawer(recorder)
        for quarter in [0, 1, 8] as [Int64] { _ = try drawer.draw(frame(quarter)) }
        #expect(
            recorder.calls.withLock { $0 } == [
                "context 4 x 2", "hint 0.0 to 0.25", "start 0.0", "hint 0.25 to 0.5", "start 0.25",
                "hint 2.0 to 2.0", "start 2.0",
            ])
    }

    @Test
    func `a request has its frames, its time and its instruction, and a frame may be its end`()
        throws
    {
        let recorder = Recorder { request in
            guard request.sourceTrackIDs == [3], request.sourceFrame(byTrackID: 4) == nil,
                let source = request.sourceFrame(byTrackID: 3)
            else { return request.finishCancelledRequest() }
            request.finish(with: source)
        }
        let frame = frame(1)
        let picture = try drawer(recorder).draw(frame)
        #expect(picture === frame.sourceFrames[3]?.pixelBuffer)
    }

    @Test func `only the first end of a request counts`() throws {
        struct Late: Error {}
        let first = Self.picture()
        let recorder = Recorder { request in
            request.finish(with: first)
            request.finish(throwing: Late())
            request.finish(with: Self.picture(1, 1))
            request.finishCancelledRequest()
        }
        let drawer = try drawer(recorder)
        #expect(try drawer.draw(frame(0)) === first)
        #expect(try drawer.draw(frame(1)) === first)
    }

    @Test func `errors, other sizes and cancellations by the compositor end drawing`() throws {
        struct Reason: Error, CustomStringConvertible {
            let description = "no colours left"
        }
        #expect(try cause { $0.finish(throwing: Reason()) } == "no colours left")
        #expect(
            try cause { $0.finish(with: Self.picture(5, 2)) }
                == "the compositor returned a frame of 5 x 2 pixels instead of 4 x 2")
        #expect(
            try cause { $0.finishCancelledRequest() }
                == "the compositor cancelled a request without being asked to")
    }

    @Test func `a request that is never ended does not hold up drawing`() throws {
        let recorder = Recorder { _ in }
        let drawer = try drawer(recorder, limit: 1_000_000)
        for _ in 0..<2 {
            let error = #expect(throws: VideoCompositionError.self) {
                _ = try drawer.draw(self.frame(0))
            }
            #expect(error?.code == .compositorFailed)
        }
        // The second request was not started.
        #expect(recorder.requests.withLock { $0.count } <= 1)
    }

    @Test func `cancelling ends requests that are started`() throws {
        let drawer = Mutex<CompositorDrawer?>(nil)
        let recorder = Recorder { _ in drawer.withLock { $0 }?.cancel() }
        let made = try self.drawer(recorder)
        drawer.withLock { $0 = made }
        let error = #expect(throws: VideoCompositionError.self) { _ = try made.draw(self.frame(0)) }
        #expect(error?.code == .cancelled)
        drawer.withLock { $0 = nil }
        // The compositor is called on a separate thread, because it may block.
        while recorder.calls.withLock({ $0.last }) != "cancel" { sched_yield() }
        #expect(throws: VideoCompositionError.self) { _ = try made.draw(self.frame(1)) }
    }
}
