// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadEditing
import PlayheadTime
import PlayheadVideoCompositions
import Synchronization
import Testing

/// Exports of video compositions that end early.
@Suite struct ComposedExportTests {
    /// Draws grey until a picture, whose request it does not end.
    private final class Stuck: VideoCompositing {
        let started: AsyncStream<Void>.Continuation
        let cancelled: AsyncStream<Void>.Continuation
        let last: Int
        let count = Mutex(0)
        let kept = Mutex<VideoCompositionRequest?>(nil)

        init(
            at last: Int, started: AsyncStream<Void>.Continuation,
            cancelled: AsyncStream<Void>.Continuation
        ) {
            (self.last, self.started, self.cancelled) = (last, started, cancelled)
        }

        func renderContextChanged(_ context: VideoCompositionRenderContext) {}

        func startRequest(_ request: VideoCompositionRequest) {
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number > last else {
                return request.finish(
                    with: PixelBuffer(
                        format: .rgba, width: request.renderContext.size.width,
                        height: request.renderContext.size.height
                    ) { _, bytes, _ in bytes.initializeMemory(as: UInt8.self, repeating: 255) })
            }
            kept.withLock { $0 = request }
            started.yield()
        }

        func cancelAllPendingRequests() { cancelled.yield() }
    }

    /// The picture that hangs is the first, before which no writer exists, or a later one.
    @Test(arguments: [0, 5], [true, false])
    func `a cancelled export does not wait for the picture that is being composed`(
        last: Int, isByTask: Bool
    ) async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (cancellations, cancelled) = AsyncStream<Void>.makeStream()
        let asset = SyntheticAsset()
        var composition = try await VideoComposition(propertiesOf: asset)
        composition.makeCompositor = { Stuck(at: last, started: started, cancelled: cancelled) }
        let folder = TemporaryFolder()
        let session = AssetExportSession(asset: asset, preset: .losslessFFV1)
        session.videoComposition = composition
        let export = Task { try await session.export(to: folder.appending("out.mkv").path) }
        for await _ in starts { break }
        if isByTask { export.cancel() } else { session.cancelExport() }
        let error = await #expect(throws: MediaWritingError.self) { try await export.value }
        #expect(error?.code == .cancelled)
        #expect(session.state == .cancelled)
        // The compositor is asked to end its requests.
        for await _ in cancellations { break }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
