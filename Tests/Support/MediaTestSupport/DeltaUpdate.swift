// SPDX-License-Identifier: Apache-2.0

/// A server's offer of playlists that leave out older segments.
public struct DeltaUpdate: Sendable {
    /// The number of the newest segments that are never left out.
    public var keptCount: Int
    /// The number of segments that each update states to leave out; nil for the true number.
    public var statedCount: Int?
    /// A Boolean value that indicates whether the server also leaves out segments if it was not
    /// asked for that.
    public var isUnasked = false

    public init(keptCount: Int, statedCount: Int? = nil, isUnasked: Bool = false) {
        self.keptCount = keptCount
        self.statedCount = statedCount
        self.isUnasked = isUnasked
    }

    /// The attribute of `EXT-X-SERVER-CONTROL`. A client asks for updates of a playlist that is not
    /// older than half the stated duration, however slow the test is.
    var attribute: String { "CAN-SKIP-UNTIL=7200" }

    /// Returns a playlist without the older of its segments if a request asks for that.
    ///
    /// - Parameters:
    ///   - query: The query of the request.
    ///   - count: The number of segments that are complete.
    func lines(_ lines: [String], of count: Int, for query: Substring) -> [String] {
        let skipped = max(count - keptCount, 0)
        guard isUnasked || query.contains("_HLS_skip=YES"), skipped > 0 else { return lines }
        let skip = "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(statedCount ?? skipped)"
        let tags = ["#EXTINF:", "#EXT-X-MAP:", "#EXT-X-PROGRAM-DATE-TIME:", "#EXT-X-PART:"]
        var (kept, passed): ([String], Int) = ([], 0)
        for line in lines {
            let isAddress = !line.hasPrefix("#")
            let isOfSegment =
                isAddress || line == "#EXT-X-DISCONTINUITY" || tags.contains { line.hasPrefix($0) }
            if passed == skipped || !isOfSegment { kept.append(line) }
            guard isAddress, passed < skipped else { continue }
            passed += 1
            if passed == skipped { kept.append(skip) }
        }
        return kept
    }
}
