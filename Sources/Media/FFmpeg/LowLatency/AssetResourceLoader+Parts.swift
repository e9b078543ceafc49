// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Playlists of low-latency streams, which FFmpeg loads again after each part.
extension AssetResourceLoader {
    /// The time for which a reload waits for the next part, in target durations. It is that for
    /// which a server may add no segment until its stream counts as stopped.
    private static let patience: Int64 = 3
    /// The fraction of the target duration after which a playlist is loaded again if the server
    /// does not hold back its answer.
    private static let plainShare: Int64 = 4

    /// Returns the playlist of a low-latency stream that FFmpeg loads again, as soon as it lists
    /// something that FFmpeg has not read; nil for other addresses.
    ///
    /// The time for which this waits does not count as transfer, because the server has nothing to
    /// send.
    func partPlaylist(_ url: String) throws(MediaError) -> MemoryDataSource? {
        guard let answers = reading.parts[url]?.answersAtOnce() else { return nil }
        if !answers { try waitForParts(url) }
        return reading.parts[url].map { sequence in
            var sequence = sequence
            let lines = sequence.lines()
            reading.parts[url] = sequence
            return MemoryDataSource(Array(lines.joined(separator: "\n").utf8))
        }
    }

    /// Loads a playlist until it lists a new part, or until it has not changed for too long.
    private func waitForParts(_ url: String) throws(MediaError) {
        guard let known = reading.parts[url] else { return }
        let wait = Self.patience * known.targetDuration * 1_000_000_000
        let deadline = HostClock.nanoseconds + wait
        func hasAdvanced() -> Bool {
            reading.parts[url].map { $0.end > known.end || $0.hasEnded } ?? true
        }
        if known.canBlockReload, HostClock.nanoseconds >= blockingPause {
            let address = known.blockingAddress(of: url)
            do throws(MediaError) {
                try interrupt.limit(until: deadline) { () throws(MediaError) in
                    try loadPlaylist(address, of: url)
                }
            } catch {
                options.accessObserver?(
                    AssetAccess(subject: address, depth: max(listCount, 1), error: error))
                if violation != nil || interrupt.isTriggered { throw error }
            }
            if hasAdvanced() { return }
            // The server does not do what it states.
            blockingPause = HostClock.nanoseconds + wait
        }
        let part = known.partTarget?.nanoseconds ?? 0
        let interval = max(part, known.targetDuration * 1_000_000_000 / Self.plainShare)
        while true {
            try loadPlaylist(url, of: url)
            if hasAdvanced() || HostClock.nanoseconds >= deadline { return }
            interrupt.wait(nanoseconds: interval)
            if interrupt.isTriggered {
                throw FFmpegError.interrupted.whileReading(url, interrupt: interrupt)
            }
        }
    }

    /// Loads a playlist again, without FFmpeg.
    ///
    /// - Parameters:
    ///   - address: The address that is requested.
    ///   - name: The address under which FFmpeg has loaded the playlist.
    func loadPlaylist(_ address: String, of name: String) throws(MediaError) {
        try countOpen()
        let (source, place) = try openChildSource(address, (0, nil))
        let head = try PeekedDataSource(
            source, count: Self.peekSize, isCancelled: { interrupt.isTriggered })
        let depth = max(listCount, 1)
        _ = try dataOrPlaylist(head, at: place, of: name, depth: depth)
        options.accessObserver?(AssetAccess(subject: address, depth: depth))
    }
}
