// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadTool

/// The limit of the time that the search for media takes.
@Suite struct PlaylistTimeTests {
    private let folder = TemporaryFolder()

    /// Creates directories with a file each, and returns the entries found by a clock that advances
    /// at each look at it.
    private func search(step: MediaTime) throws -> (count: Int, errors: [MediaError]) {
        for index in 0..<30 {
            let place = folder.appending("\(index)")
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: true)
            try Data().write(to: place.appending(path: "film.mp4"))
        }
        var time = MediaTime.zero
        var errors: [MediaError] = []
        let entries = PlaylistReader.entries(
            [folder.url.path],
            now: {
                defer { time += step }
                return time
            }, skip: { errors.append($0) })
        return (entries.count, errors)
    }

    @Test func `the search for media ends after ten seconds with a message`() throws {
        let (count, errors) = try search(step: MediaTime(value: 1, timescale: 2))
        #expect(count < 30)
        #expect(errors.map(\.code) == [.limitExceeded])
        #expect(errors.first?.cause == "the search for media ended after 10 seconds")
    }

    @Test func `a search of less than ten seconds finds everything`() throws {
        let (count, errors) = try search(step: MediaTime(value: 1, timescale: 1000))
        #expect(count == 30)
        #expect(errors.isEmpty)
    }
}
