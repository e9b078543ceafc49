// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime
import Synchronization
import Testing

@testable import PlayheadExport
@testable import PlayheadWriting

/// The progress of copies between keyframes.
@Suite struct KeyframeJoinTests {
    private let folder = TemporaryFolder()

    /// The fractions that are reported.
    private final class Shares: Sendable {
        let values = Mutex<[Double]>([])
    }

    private func source() async throws -> Asset {
        let url = folder.appending("film.mkv")
        try await ExportSupport.write(url, frames: 50)
        return URLAsset(location: .file(path: url.path), opener: FFmpegOpener(path: url.path))
    }

    private func range(_ start: Int, _ end: Int) -> MediaTimeRange {
        MediaTimeRange(start: ExportSupport.time(start), end: ExportSupport.time(end))
    }

    @Test func `the progress follows the copied frames, never decreases, and ends at 1`()
        async throws
    {
        let asset = try await source()
        let shares = Shares()
        var join = KeyframeJoin(engine: FFmpegWritingEngine(), cancellation: Cancellation())
        join.progressHandler = { share in shares.values.withLock { $0.append(share) } }
        let parts = [range(10, 20), range(30, 40)].map {
            KeyframeJoin.Part(asset: asset, range: $0)
        }
        let copied = try join.write(
            parts, to: folder.appending("out.mkv").path, inputs: [], includesAudio: true)
        #expect(copied == [range(10, 20), range(30, 40)])
        let values = shares.values.withLock { $0 }
        #expect(values == values.sorted())
        #expect(values.count == 20 && values.last == 1)
        #expect(zip(values, 1...20).allSatisfy { abs($0 - Double($1) / 20) < 0.001 })
    }

    @Test func `a copy without a known end reports no progress`() async throws {
        let asset = try await source()
        let shares = Shares()
        var join = KeyframeJoin(engine: FFmpegWritingEngine(), cancellation: Cancellation())
        join.progressHandler = { share in shares.values.withLock { $0.append(share) } }
        _ = try join.write(
            [.init(asset: asset, range: nil)], to: folder.appending("out.mkv").path, inputs: [],
            includesAudio: false)
        #expect(shares.values.withLock { $0 } == [])
    }

    @Test func `a copy that is cancelled leaves no file`() async throws {
        let asset = try await source()
        let cancellation = Cancellation()
        var join = KeyframeJoin(engine: FFmpegWritingEngine(), cancellation: cancellation)
        join.progressHandler = { if $0 > 0.5 { cancellation.cancel() } }
        let error = #expect(throws: MediaWritingError.self) {
            try join.write(
                [.init(asset: asset, range: range(10, 40))],
                to: folder.appending("out.mkv").path, inputs: [], includesAudio: true)
        }
        #expect(error?.code == .cancelled)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["film.mkv"])
    }
}
