// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadPlayerUI
@testable import PlayheadTool

/// Parts of files as the trim view has them saved.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
@MainActor struct TrimSaverTests {
    private let folder = TemporaryFolder()

    @Test func `a source that is a link stays one, and the file that it names is replaced`()
        async throws
    {
        let manager = FileManager.default
        for name in ["videos", "desktop"] {
            try manager.createDirectory(
                at: folder.appending(name), withIntermediateDirectories: true)
        }
        let film = folder.appending("videos/film.mp4").path
        let link = folder.appending("desktop/link.mp4").path
        try manager.copyItem(atPath: try Films.silent(seconds: 1), toPath: film)
        try manager.createSymbolicLink(atPath: link, withDestinationPath: "../videos/film.mp4")
        let range = MediaTimeRange(
            start: MediaTime(value: 10, timescale: 30),
            duration: MediaTime(value: 5, timescale: 30))
        let request = TrimRequest(
            source: try #require(TrimSource(path: link)), asset: InputFile.asset(link),
            range: range, isExact: true, replacesSource: true)
        let path = try await TrimSaver.save(request) { _ in }
        #expect(path == link)
        #expect(try manager.destinationOfSymbolicLink(atPath: link) == "../videos/film.mp4")
        #expect(try Tool.frames(of: film).count == 5)
        for (name, files) in [("videos", ["film.mp4"]), ("desktop", ["link.mp4"])] {
            let place = folder.appending(name).path
            #expect(try manager.contentsOfDirectory(atPath: place) == files)
        }
    }
}
