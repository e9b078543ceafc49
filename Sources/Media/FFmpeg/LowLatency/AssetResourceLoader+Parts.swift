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
    private static let plainShare: Int64 = 8
    /// The shortest time between two requests for a playlist, in nanoseconds.
    private static let shortestPause: Int64 = 50_000_000

    /// Returns the playlist of a low-latency stream that FFmpeg loads again, as soon as it lists
    /// something that FFmpeg has not read; nil for other addresses.
    ///
    /// The time for which this waits does not count as transfer, because the server has nothing to
    /// send.
    func partPlaylist(_ url: String) throws(MediaError) -> MemoryDataSource? {
        guard let answers = reading.parts[url]?.answersAtOnce() else { return nil }
        if !answers {
            try waitForParts(url)
        } else if isOutdated(url) {
            // What has been listed can still be tried.
            do throws(MediaError) {
                try countOpen()
                try loadPlaylist(url, of: url)
            } catch {
                if violation != nil || interrupt.isTriggered { throw error }
            }
        }
        guard let lines = reading.parts[url]?.lines() else { return nil }
        return MemoryDataSource(Array(lines.joined(separator: "\n").utf8))
    }

    /// Returns whether parts may have left a playlist since it was loaded, because FFmpeg has not
    /// read on: during a pause, or because the tracks were not selected.
    private func isOutdated(_ url: String) -> Bool {
        guard let known = reading.parts[url], !known.hasEnded else { return false }
        let limit = Self.patience * known.targetDuration * 1_000_000_000
        return HostClock.nanoseconds - known.loadTime > limit
    }

    /// Loads a playlist until it lists something new, or until it has not done so for too long.
    private func waitForParts(_ url: String) throws(MediaError) {
        guard let known = reading.parts[url] else { return }
        let wait = Self.patience * known.targetDuration * 1_000_000_000
        let start = HostClock.nanoseconds
        func isOver() -> Bool {
            guard let now = reading.parts[url], !now.hasEnded else { return true }
            return now.endNumber > known.endNumber || HostClock.nanoseconds - start >= wait
        }
        try requestHints(of: url)
        while try waitForAnswer(url, until: start + wait, pause: wait) {
            // The playlist may only state that a segment is complete, or that a part is missing.
            if isOver() { return }
            try requestHints(of: url)
            interrupt.wait(nanoseconds: Self.shortestPause)
        }
        let part = known.partTarget?.nanoseconds ?? 0
        let interval = max(part, known.targetDuration * 1_000_000_000 / Self.plainShare)
        while true {
            do throws(MediaError) { try loadPlaylist(reloadAddress(of: url), of: url) } catch {
                // A server that fails for a moment does not end the stream.
                let hasFailed = HostClock.nanoseconds - start >= wait / Self.patience
                if violation != nil || interrupt.isTriggered || hasFailed { throw error }
            }
            if isOver() { return }
            try requestHints(of: url)
            interrupt.wait(nanoseconds: interval)
            if interrupt.isTriggered {
                throw FFmpegError.interrupted.whileReading(url, interrupt: interrupt)
            }
        }
    }

    /// Loads a playlist, and asks its server to answer when the next part exists.
    ///
    /// - Parameters:
    ///   - deadline: The host time, in nanoseconds, at which the request ends.
    ///   - pause: The time for which a server that does not hold back its answer is not asked
    ///     again, in nanoseconds.
    /// - Returns: A Boolean value that indicates whether the playlist has changed. It is false if
    ///   the server has to be asked without waiting.
    private func waitForAnswer(
        _ url: String, until deadline: Int64, pause: Int64
    ) throws(MediaError) -> Bool {
        guard let known = reading.parts[url], known.canBlockReload,
            HostClock.nanoseconds >= blockingPause
        else { return false }
        let address = reloadAddress(of: url, directives: known.blockingDirectives)
        do throws(MediaError) {
            try interrupt.limit(until: deadline) { () throws(MediaError) in
                try loadPlaylist(address, of: url)
            }
        } catch {
            options.accessObserver?(
                AssetAccess(subject: address, depth: max(listCount, 1), error: error))
            if violation != nil || interrupt.isTriggered { throw error }
        }
        if let now = reading.parts[url], now.end > known.end || now.hasEnded { return true }
        // The server does not do what it states.
        blockingPause = HostClock.nanoseconds + pause
        return false
    }

    /// Loads a playlist again, without FFmpeg. It does not count as opened, because the server may
    /// be asked any number of times until a part exists.
    ///
    /// - Parameters:
    ///   - address: The address that is requested.
    ///   - name: The address under which FFmpeg has loaded the playlist.
    func loadPlaylist(_ address: String, of name: String) throws(MediaError) {
        try takePlaylist(openChildSource(address, (0, nil)), address, of: name)
    }

    /// Takes a playlist that was loaded again.
    func takePlaylist(
        _ source: (any MediaDataSource, HTTPAddress?), _ address: String, of name: String
    ) throws(MediaError) {
        let head = try PeekedDataSource(
            source.0, count: Self.peekSize, isCancelled: { interrupt.isTriggered })
        let depth = max(listCount, 1)
        _ = try dataOrPlaylist(head, at: source.1, of: name, depth: depth)
        options.accessObserver?(AssetAccess(subject: address, depth: depth))
    }
}
