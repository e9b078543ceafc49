// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadTime
import Testing

@testable import PlayheadTool

/// The limits of the search for media: the time that it takes, and the names that it reads.
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

    @Test func `the files among the directory entries that were read are played`() throws {
        for index in 0..<20 {
            try Data().write(to: folder.appending("film \(index).mp4"))
        }
        var errors: [MediaError] = []
        let entries = PlaylistReader.entries(
            [folder.url.path, "another.mp4"], nameLimit: 12, skip: { errors.append($0) })
        // The names of the directory itself and of the one above it count too.
        #expect((10...12).contains(entries.count))
        #expect(Set(entries.map(\.file)).count == entries.count)
        #expect(errors.map(\.code) == [.limitExceeded])
        #expect(errors.first?.cause == "the search for media ended after 12 directory entries")
    }
}
