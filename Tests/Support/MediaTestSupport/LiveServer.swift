// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadThreads

/// A web server of a live HLS stream, which a test advances by hand.
///
///     let server = try LiveServer([clip])
///     server.list(0..<6)          // segments 0 to 5; the live edge is the end of segment 5
///     server.list(1..<7)          // one segment later
///
/// Segments last a second if the clip has a keyframe every second; the playlist rounds durations to
/// a tenth of a second. Segments that are not listed are served too. Several clips follow each
/// other with discontinuities. The same segments are a DASH presentation at `presentationURL`, if
/// they are fragments of MP4.
///
/// - Concurrency: any thread.
public final class LiveServer: Sendable {
    private struct State {
        var range = 0..<0
        var hasEnded = false
        var tags: [String] = []
        var dates: [Double?] = []
        var deltas: DeltaUpdate?
        var loads = 0
        var isDown = false
    }

    private struct Segment: Sendable {
        var name: String
        var duration: String
        var clip: Int
    }

    private let folder: TemporaryFolder
    private let segments: [Segment]
    private let headers: [String?]
    private let state = Monitor(State())
    private let startDate = Date()
    private let web: LoopbackServer

    /// Segments the clips.
    ///
    /// - Parameters:
    ///   - isMP4: A Boolean value that indicates whether segments are fragments of MP4, and not MPEG
    ///     transport streams.
    ///   - isUntimed: A Boolean value that indicates whether the first video packet of each segment
    ///     has no time.
    ///   - starts: For each clip, the seconds that are added to its timestamps; 0 if there are none.
    public init(
        _ clips: [SyntheticClip], isMP4: Bool = false, isUntimed: Bool = false, starts: [Int] = []
    ) throws {
        let folder = TemporaryFolder()
        var segments: [Segment] = []
        var headers: [String?] = []
        for (index, clip) in clips.enumerated() {
            let list = folder.appending("\(index).m3u8")
            var arguments = [
                "ffmpeg", "-v", "error", "-nostdin", "-i", try clip.url().path, "-c", "copy", "-f",
                "hls", "-hls_time", "1", "-hls_list_size", "0",
            ]
            if index < starts.count { arguments += ["-output_ts_offset", "\(starts[index])"] }
            if isMP4 {
                arguments += [
                    "-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4",
                    "-hls_fmp4_init_filename", "\(index)-init.mp4",
                ]
            }
            try ProcessRunner.check(arguments + [list.path])
            headers.append(isMP4 ? "\(index)-init.mp4" : nil)
            var duration = ""
            for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("#EXTINF:") {
                    let text = line.dropFirst("#EXTINF:".count).prefix { $0 != "," }
                    let tenths = ((Double(text) ?? 0) * 10).rounded()
                    duration = "\(tenths / 10)"
                } else if !line.hasPrefix("#") {
                    segments.append(
                        Segment(name: String(line), duration: duration, clip: index))
                }
            }
        }
        (self.folder, self.segments, self.headers) = (folder, segments, headers)
        web = try LoopbackServer { [state, segments, headers, startDate] request in
            let words = request.path.dropFirst().split(separator: "?")
            let name = String(words.first ?? "")
            if state.withLock({ $0.isDown }) { return .status(503) }
            if name == "live.m3u8" || name == "live.mpd" {
                let now = state.change { state in
                    state.loads += 1
                    return state
                }
                let text =
                    name == "live.mpd"
                    ? LiveServer.presentation(now, segments, headers, startDate)
                    : LiveServer.text(
                        now, segments, headers, words.count > 1 ? words[1] : "")
                return .whole(Array(text.utf8))
            }
            guard let data = try? Data(contentsOf: folder.appending(name)) else {
                return .status(404)
            }
            let bytes = [UInt8](data)
            return .whole(isUntimed ? TransportTimes.removed(from: bytes, first: 1) : bytes)
        }
    }

    public var url: String { web.url("/live.m3u8") }
    /// The address of the MPD. It lists the segments of the first clip.
    public var presentationURL: String { web.url("/live.mpd") }
    public var segmentCount: Int { segments.count }

    /// The requests for segments so far, by the number of the segment.
    public var requestedSegments: [Int] {
        web.requests.compactMap { request in
            segments.firstIndex { "/" + $0.name == request.path }
        }
    }

    /// Sets the segments that the playlist lists.
    ///
    /// - Parameter tags: Lines that are added to the head of the playlist.
    public func list(_ range: Range<Int>, hasEnded: Bool = false, tags: [String] = []) {
        state.change { state in
            (state.range, state.hasEnded, state.tags) = (range, hasEnded, tags)
        }
    }

    /// States dates: for each clip, the one at which it begins, in seconds since 1970, or nil.
    public func setDates(_ dates: [Double?]) { state.change { $0.dates = dates } }

    /// Makes the server leave out older segments where it is asked to.
    public func setDeltaUpdates(_ deltas: DeltaUpdate?) { state.change { $0.deltas = deltas } }

    /// The paths of the requests so far, with their queries.
    public var requests: [String] { web.requests.map(\.path) }

    /// Makes all requests fail, or lets them succeed again.
    public func setDown(_ isDown: Bool) { state.change { $0.isDown = isDown } }

    /// The number of times that the playlist has been loaded.
    public var loadCount: Int { state.withLock { $0.loads } }

    /// Waits until the playlist has been loaded more than a number of times.
    public func waitForLoads(moreThan count: Int) {
        state.wait { $0.loads > count ? true : nil }
    }

    public func stop() { web.stop() }

    private static func text(
        _ state: State, _ segments: [Segment], _ headers: [String?], _ query: Substring
    ) -> String {
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1",
            "#EXT-X-MEDIA-SEQUENCE:\(state.range.lowerBound)",
        ]
        let first = segments[state.range].first?.clip ?? 0
        if first > 0 { lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(first)") }
        lines += state.tags
        if let deltas = state.deltas {
            lines.append("#EXT-X-SERVER-CONTROL:HOLD-BACK=3.0," + deltas.attribute)
        }
        var clip = first
        if let header = headers[first] { lines.append("#EXT-X-MAP:URI=\"\(header)\"") }
        for (index, segment) in zip(state.range, segments[state.range]) {
            if segment.clip != clip {
                lines.append("#EXT-X-DISCONTINUITY")
            }
            if index == state.range.lowerBound || segment.clip != clip {
                if let date = date(of: index, state, segments) {
                    lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date)")
                }
            }
            if segment.clip != clip {
                clip = segment.clip
                if let header = headers[clip] { lines.append("#EXT-X-MAP:URI=\"\(header)\"") }
            }
            lines += ["#EXTINF:\(segment.duration),", segment.name]
        }
        if state.hasEnded { lines.append("#EXT-X-ENDLIST") }
        lines = state.deltas?.lines(lines, of: state.range.count, for: query) ?? lines
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the date at which a segment begins; nil if none is stated for its clip.
    private static func date(of index: Int, _ state: State, _ segments: [Segment]) -> String? {
        let clip = segments[index].clip
        guard clip < state.dates.count, let begin = state.dates[clip] else { return nil }
        let before = segments[..<index].filter { $0.clip == clip }
        let seconds = before.compactMap { Double($0.duration) }.reduce(begin, +)
        return Date(timeIntervalSince1970: seconds)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func presentation(
        _ state: State, _ segments: [Segment], _ headers: [String?], _ startDate: Date
    ) -> String {
        let date = startDate.formatted(.iso8601)
        var lines = [
            state.hasEnded
                ? "<MPD type=\"static\" mediaPresentationDuration=\"PT1H\">"
                : "<MPD type=\"dynamic\" availabilityStartTime=\"\(date)\" "
                    + "minimumUpdatePeriod=\"PT0S\">",
            "<Period start=\"PT0S\"><AdaptationSet mimeType=\"video/mp4\">",
            "<Representation id=\"v\" bandwidth=\"1000000\"><SegmentList timescale=\"10\">",
            "<Initialization sourceURL=\"\((headers[0] ?? ""))\"/><SegmentTimeline>",
        ]
        var time = 0
        for (index, segment) in segments[..<state.range.upperBound].enumerated() {
            let duration = Int(((Double(segment.duration) ?? 0) * 10).rounded())
            if state.range.contains(index) {
                lines.append("<S t=\"\(time)\" d=\"\(duration)\"/>")
            }
            time += duration
        }
        lines.append("</SegmentTimeline>")
        lines += segments[state.range].map { "<SegmentURL media=\"\($0.name)\"/>" }
        lines.append("</SegmentList></Representation></AdaptationSet></Period></MPD>")
        return lines.joined(separator: "\n")
    }
}
