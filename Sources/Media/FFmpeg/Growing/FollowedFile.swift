// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A local file that a player follows while it is still being written: reading waits at its end,
/// and its duration grows.
///
/// - Concurrency: the demuxer's thread only.
final class FollowedFile {
    /// The time between two measurements of the file, in nanoseconds.
    static let interval: Int64 = 500_000_000
    /// The time between two searches for the last timestamps, in nanoseconds. Each of them opens
    /// the file.
    static let searchInterval: Int64 = 2_000_000_000
    /// The distance from the end at which the newest part is played. Recorders write at least every
    /// few seconds.
    static let recommendedOffset = MediaTime(value: 3, timescale: 1)
    /// The growth that is reported while packets are read.
    static let step = MediaTime(value: 1, timescale: 4)

    /// The range that was reported last.
    var range: MediaTimeRange
    /// The host time at which the last timestamps were searched for, in nanoseconds.
    var lastSearch = HostClock.nanoseconds
    /// A Boolean value that indicates whether the file is not written to any more, so that its end
    /// is final.
    var hasEnded = false

    /// The parts of the file; nil if the format can be searched without an index, or not at all.
    private var parts: (any FragmentIndex)?
    private let growth: FileGrowth
    private let file: FileDescriptorDataSource

    /// Creates an object that follows a file. Fails if the file is not being written.
    ///
    /// - Parameters:
    ///   - container: FFmpeg's name of the container.
    ///   - timescales: The timescale of each track, by its number in the file.
    ///   - start: The beginning of the timeline.
    init?(
        _ file: FileDescriptorDataSource, container: String, timescales: [Int: Int32],
        start: MediaTime
    ) {
        self.file = file
        growth = FileGrowth(file)
        guard growth.isBeingWritten else { return nil }
        range = MediaTimeRange(start: start, duration: .zero)
        if container.hasPrefix("mov,") {
            parts = MovieFragments(timescales: timescales)
        } else if container.hasPrefix("matroska") {
            parts = MatroskaClusters()
        }
    }

    /// The duration that is examined when the file is opened again, in microseconds: a part of what
    /// has been written.
    var analysis: Int64 {
        let half = (range.duration * 0.5).nanoseconds ?? 0
        return min(max(half / 1000, Self.shortestAnalysis), Self.longestAnalysis)
    }

    private static let shortestAnalysis: Int64 = 100_000
    private static let longestAnalysis: Int64 = 5_000_000

    /// A Boolean value that indicates whether the file is still being written.
    var isBeingWritten: Bool { growth.isBeingWritten }

    /// A Boolean value that indicates whether the file has parts, to which a demuxer moves by
    /// opening the file again.
    var hasParts: Bool { parts?.headerEnd != nil }

    /// Finds the parts that were written since the last call, and returns the end of the newest
    /// one; nil if it is not known.
    func measure() -> MediaTime? {
        parts?.update(from: file)
        return parts?.end
    }

    /// Returns the data of the file from the part at a time on. The header precedes it.
    ///
    /// - Parameter distance: The time, relative to the beginning of the file.
    func source(
        of file: FileDescriptorDataSource, from distance: MediaTime
    ) -> any MediaDataSource {
        parts?.update(from: file)
        guard let parts, let start = parts.headerEnd,
            let offset = parts.offset(at: range.start + distance),
            offset - start >= Self.smallestFiller
        else { return file }
        return FragmentedDataSource(
            file, fillingFrom: start, with: type(of: parts).filler(byteCount: offset - start))
    }

    /// The size of the header of a filler, in bytes.
    private static let smallestFiller: Int64 = 16
}
