// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// A web server of a low-latency HLS stream, whose parts of a third of a second a test publishes.
///
///     let server = try LowLatencyServer(seconds: 20)
///     server.publish(16)          // parts 0 to 15: five segments and a part
///
/// Parts are fragments of MP4 with ten frames; a segment has three of them. Parts that are listed
/// no longer, because they are older than three segments, are served too.
///
/// - Concurrency: any thread.
public final class LowLatencyServer: Sendable {
    /// The answer of the server to a request that asks for a part that does not exist yet.
    public enum Blocking: Sendable {
        /// It comes when the part exists.
        case asStated
        /// It comes at once, with the playlist as it is.
        case ignored
        /// It never comes.
        case endless
        /// The server does not state that it holds back answers.
        case notStated
    }

    /// The announcement at the end of the playlist.
    public enum Hint: Sendable {
        /// The next part. A request for it is answered when the part exists.
        case nextPart
        /// The next part. A request for it before it exists is never answered.
        case unanswered
        case nothing
        /// A part at an address.
        case address(String)
    }

    public static let framesPerSecond = 30
    public static let framesInPart = 10
    public static let partsInSegment = 3

    private struct State {
        var count = 0
        var blocking = Blocking.asStated
        var hint = Hint.nextPart
        var early: [Int] = []
        var lost: Set<Int> = []
        var late: Set<Int> = []
        var gaps: Set<Int> = []
        var tags: [String] = []
        var deltas: DeltaUpdate?
        var hasEnded = false
        var isStopped = false
    }

    private struct Content: Sendable {
        var header: [UInt8]
        var parts: [[UInt8]]
        var windowSegments: Int
        var keyframeParts: Int
        var usesRanges: Bool

        func segment(_ number: Int) -> [UInt8] {
            let first = number * partsInSegment
            return Array(parts[first..<min(first + partsInSegment, parts.count)].joined())
        }

        /// Returns the offset of a part in its segment.
        func offset(_ part: Int) -> Int {
            parts[part / partsInSegment * partsInSegment..<part].map(\.count).reduce(0, +)
        }
    }

    private let content: Content
    private let state = Monitor(State())
    private let web: LoopbackServer

    /// - Parameters:
    ///   - seconds: The duration of the video, which shows the numbers of its frames.
    ///   - keyframeParts: The number of parts from one keyframe to the next.
    ///   - windowSegments: The number of complete segments that are listed.
    ///   - usesRanges: A Boolean value that indicates whether parts are ranges of bytes of their
    ///     segments, and not files of their own.
    public init(
        seconds: Int64, keyframeParts: Int = 3, windowSegments: Int = 12, usesRanges: Bool = false
    ) throws {
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: Int32(Self.framesPerSecond),
                duration: MediaTime(value: seconds, timescale: 1)))
        media.keyframeInterval = keyframeParts * Self.framesInPart
        media.sounds = []
        let clip = SyntheticClip(
            media,
            options: [
                "-movflags", "empty_moov+default_base_moof", "-frag_duration", "333333",
            ])
        let (header, parts) = Self.fragments(of: [UInt8](try Data(contentsOf: clip.url())))
        let content = Content(
            header: header, parts: parts, windowSegments: windowSegments,
            keyframeParts: keyframeParts, usesRanges: usesRanges)
        self.content = content
        web = try LoopbackServer { [state] in LowLatencyServer.answer($0, content, state) }
    }

    public var url: String { web.url("/live.m3u8") }
    public var partCount: Int { content.parts.count }
    /// The paths of the requests so far, with their queries.
    public var requests: [String] { web.requests.map(\.path) }

    /// Publishes the first parts of the stream.
    public func publish(_ count: Int) { state.change { $0.count = count } }

    /// Makes requests for a part fail.
    public func lose(_ part: Int) { state.change { _ = $0.lost.insert(part) } }

    /// Lists a part as missing.
    public func leaveOut(_ part: Int) { state.change { _ = $0.gaps.insert(part) } }

    /// Makes the next request for a part fail.
    public func delay(_ part: Int) { state.change { _ = $0.late.insert(part) } }

    public func setHint(_ hint: Hint) { state.change { $0.hint = hint } }

    /// The parts that were requested before they existed, in order.
    public var earlyParts: [Int] { state.withLock { $0.early } }

    /// Waits until a part that does not exist yet is requested, or until the server is stopped.
    public func waitForEarlyRequest(ofPart part: Int) {
        state.wait { $0.early.contains(part) || $0.isStopped ? true : nil }
    }

    /// Waits until a number of connections are open.
    public func waitForConnections(_ count: Int) {
        while web.openConnectionCount != count { usleep(2000) }
    }

    public func setBlocking(_ blocking: Blocking) { state.change { $0.blocking = blocking } }

    /// Adds lines to the head of the playlist.
    public func setTags(_ tags: [String]) { state.change { $0.tags = tags } }

    /// Makes the server leave out older segments where it is asked to.
    public func setDeltaUpdates(_ deltas: DeltaUpdate?) { state.change { $0.deltas = deltas } }

    /// Ends the stream.
    public func end() { state.change { $0.hasEnded = true } }

    /// Waits until a request for the playlist asks for a part that does not exist yet, or until the
    /// server is stopped.
    public func waitForBlockedRequest(ofPart part: Int) {
        let query = Self.query(ofPart: part)
        waitForRequests { $0.contains { $0.contains(query) } }
    }

    /// Waits until the requests satisfy a condition, or until the server is stopped.
    public func waitForRequests(_ condition: ([String]) -> Bool) {
        while !condition(requests), !state.withLock({ $0.isStopped }) { usleep(2000) }
    }

    public func stop() {
        state.change { $0.isStopped = true }
        web.stop()
    }

    deinit { stop() }

    /// The directives of a request that waits for a part.
    public static func query(ofPart part: Int) -> String {
        "?_HLS_msn=\(part / partsInSegment)&_HLS_part=\(part % partsInSegment)"
    }

    // MARK: - Answers

    private static func answer(
        _ request: LoopbackServer.Request, _ content: Content, _ state: Monitor<State>
    ) -> LoopbackServer.Response {
        let words = request.path.split(separator: "?")
        let name = words[0].split(separator: "/").last.map(String.init) ?? ""
        let number = Int(name.drop(while: \.isLetter).prefix(while: \.isNumber)) ?? 0
        switch name.prefix(while: \.isLetter) {
        case "live":
            let now = wait(for: words.count > 1 ? words[1] : "", state)
            if now.blocking == .endless, words.count > 1 { return .silence }
            return .whole(Array(text(now, content, words.count > 1 ? words[1] : "").utf8))
        case "header": return .bytes(content.header)
        case "part" where number < content.parts.count:
            guard waitForPart(number, state) else { return .silence }
            let isMissing = state.change {
                $0.late.remove(number) != nil || $0.lost.contains(number) || number >= $0.count
            }
            return isMissing ? .status(404) : .bytes(content.parts[number])
        case "segment" where number * partsInSegment < content.parts.count:
            let parts = number * partsInSegment..<(number + 1) * partsInSegment
            if content.usesRanges, let first = request.range?.first,
                let part = parts.prefix(content.parts.count).first(where: {
                    content.offset($0) == first
                }), !waitForPart(part, state)
            {
                return .silence
            }
            return .bytes(content.segment(number))
        case "endless": return .endless([UInt8](repeating: 7, count: 1 << 16))
        case "silent": return .silence
        default: return .status(404)
        }
    }

    /// Waits until a part exists. Returns false if the request is not answered.
    private static func waitForPart(_ part: Int, _ state: Monitor<State>) -> Bool {
        let isUnanswered = state.change { state in
            guard part >= state.count else { return false }
            state.early.append(part)
            if case .unanswered = state.hint { return true }
            return false
        }
        guard !isUnanswered else { return false }
        return state.wait { $0.count > part || $0.hasEnded || $0.isStopped ? true : nil }
    }

    private static func wait(for query: Substring, _ state: Monitor<State>) -> State {
        let values = query.split(separator: "&").compactMap {
            Int($0.drop { $0 != "=" }.dropFirst())
        }
        guard values.count == 2 else { return state.withLock { $0 } }
        let wanted = values[0] * partsInSegment + values[1]
        return state.wait { state in
            let isDue = state.count > wanted || state.blocking != .asStated
            return isDue || state.hasEnded || state.isStopped ? state : nil
        }
    }

    private static func text(
        _ state: State, _ content: Content, _ query: Substring
    ) -> String {
        let end = state.count / partsInSegment
        let first = max(end - content.windowSegments, 0)
        var control =
            (state.blocking == .notStated ? "" : "CAN-BLOCK-RELOAD=YES,") + "PART-HOLD-BACK=1.0"
        if let deltas = state.deltas { control += "," + deltas.attribute }
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-TARGETDURATION:1",
            "#EXT-X-PART-INF:PART-TARGET=0.33334", "#EXT-X-SERVER-CONTROL:\(control)",
            "#EXT-X-MEDIA-SEQUENCE:\(first)", "#EXT-X-MAP:URI=\"header.mp4\"",
        ]
        lines += state.tags
        for segment in first...end {
            let isComplete = segment < end
            if segment > end - partsInSegment {
                let first = segment * partsInSegment
                let last = min(first + partsInSegment, state.count)
                for part in first..<last {
                    let gap = state.gaps.contains(part) ? ",GAP=YES" : ""
                    lines.append(tag(part, of: segment, content) + gap)
                }
            }
            if isComplete { lines += ["#EXTINF:1.0,", "segment\(segment).mp4"] }
        }
        if state.hasEnded {
            lines.append("#EXT-X-ENDLIST")
        } else if let hint = hint(state, content) {
            lines.append("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=" + hint)
        }
        lines = state.deltas?.lines(lines, of: end - first, for: query) ?? lines
        return lines.joined(separator: "\n") + "\n"
    }

    private static func hint(_ state: State, _ content: Content) -> String? {
        switch state.hint {
        case .nothing: return nil
        case .address(let text): return "\"\(text)\""
        case .nextPart, .unanswered:
            guard content.usesRanges else { return "\"part\(state.count).mp4\"" }
            guard state.count < content.parts.count else { return nil }
            let segment = state.count / partsInSegment
            return "\"segment\(segment).mp4\",BYTERANGE-START=\(content.offset(state.count))"
        }
    }

    private static func tag(_ part: Int, of segment: Int, _ content: Content) -> String {
        var tag = "#EXT-X-PART:DURATION=0.33333,URI="
        if content.usesRanges {
            let range = "\(content.parts[part].count)@\(content.offset(part))"
            tag += "\"segment\(segment).mp4\",BYTERANGE=\"\(range)\""
        } else {
            tag += "\"part\(part).mp4\""
        }
        return tag + (part % content.keyframeParts == 0 ? ",INDEPENDENT=YES" : "")
    }

    /// Returns the header and the fragments of an MP4 file.
    private static func fragments(of file: [UInt8]) -> (header: [UInt8], parts: [[UInt8]]) {
        var (header, parts): ([UInt8], [[UInt8]]) = ([], [])
        var position = 0
        while position + 8 <= file.count {
            let size = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let box = file[position..<min(position + max(size, 8), file.count)]
            switch String(decoding: file[position + 4..<position + 8], as: UTF8.self) {
            case "ftyp", "moov": header += box
            case "moof": parts.append(Array(box))
            case "mdat" where !parts.isEmpty: parts[parts.count - 1] += box
            default: break
            }
            position = box.endIndex
        }
        return (header, parts)
    }
}
