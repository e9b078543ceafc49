// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The description of an RTSP session (SDP, RFC 4566), reduced to the video and audio that can be
/// received by RTP.
///
/// FFmpeg receives `text`, which is written here: its parser for SDP also understands addresses,
/// keys and formats of other protocols.
struct SessionDescription {
    /// A stream of the session.
    struct Media {
        /// The format of the payload: RFC 3551, section 6.
        let payloadType: UInt8
        /// The URL of the stream, which may be relative.
        fileprivate(set) var control = ""
        /// The number of ticks of its timestamps per second.
        fileprivate(set) var clockRate: Int32
        /// A Boolean value that indicates whether the payload is an MPEG transport stream.
        fileprivate(set) var isTransportStream: Bool
        /// The lines for FFmpeg.
        fileprivate var lines: [String]
    }

    private(set) var media: [Media] = []
    /// The URL of the session, which may be relative.
    private(set) var control = "*"

    /// A Boolean value that indicates whether the session is a recording, whose end is known.
    private(set) var hasEnd = false
    /// The time at which a recording ends; nil for a live session, or if it is not stated in
    /// seconds.
    private(set) var end: MediaTime?

    /// A Boolean value that indicates whether the only stream is an MPEG transport stream.
    var isTransportStream: Bool { media.first?.isTransportStream ?? false }

    /// The streams in the form that FFmpeg reads.
    var text: String {
        (["v=0", "o=- 0 0 IN IP4 127.0.0.1", "c=IN IP4 127.0.0.1", "t=0 0"]
            + media.flatMap(\.lines)).map { $0 + "\r\n" }.joined()
    }

    private static let maximumMedia = 8
    private static let transportStreamType: UInt8 = 33
    /// The rates of payloads whose type states their format, unless they are 8000 for audio and
    /// 90,000 for video (RFC 3551, section 6).
    private static let clockRates: [UInt8: Int32] = [
        6: 16_000, 10: 44_100, 11: 44_100, 14: 90_000, 16: 11_025, 17: 22_050,
    ]
    private static let forwarded = ["rtpmap:", "fmtp:", "framesize:"]

    /// Parses the body of a response. Other lines than those of video and audio by RTP are ignored.
    init(_ body: [UInt8]) {
        var all: [Media?] = []
        for line in String(decoding: body, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let value = line.dropFirst(2)
            if line.hasPrefix("m=") {
                all.append(all.count < Self.maximumMedia ? Self.media(value) : nil)
            } else if line.hasPrefix("a=control:") {
                let url = String(value.dropFirst("control:".count).filter { $0 != " " })
                if all.isEmpty { control = url } else { all[all.count - 1]?.control = url }
            } else if line.hasPrefix("a=range:") {
                // `npt=0-60` has an end, and `npt=now-` has none (RFC 2326, appendix C.1.5).
                let end = line.lastIndex(of: "-").map { line[$0...].dropFirst() }
                if end?.contains(where: { $0 != " " }) ?? false {
                    hasEnd = true
                    let range = NormalPlayTime(value.dropFirst("range:".count))
                    // Some cameras state zero.
                    if let end = range?.end, end > .zero { self.end = max(self.end ?? end, end) }
                }
            } else if line.hasPrefix("a="), !all.isEmpty {
                all[all.count - 1]?.add(value)
            }
        }
        for case let entry? in all {
            // FFmpeg recognises streams by the types of their payloads.
            guard !media.contains(where: { $0.payloadType == entry.payloadType }) else { continue }
            media.append(entry)
        }
        // A transport stream contains audio and video.
        if let whole = media.first(where: \.isTransportStream) { media = [whole] }
    }

    /// Parses a line such as `video 0 RTP/AVP 96`.
    private static func media(_ line: Substring) -> Media? {
        let words = line.split(separator: " ")
        guard words.count >= 4, words[0] == "video" || words[0] == "audio",
            words[2] == "RTP/AVP" || words[2] == "RTP/AVPF" || words[2] == "RTP/AVP/TCP",
            let type = UInt8(words[3]), type < 128
        else { return nil }
        return Media(
            payloadType: type, clockRate: clockRates[type] ?? (words[0] == "audio" ? 8000 : 90_000),
            isTransportStream: type == transportStreamType,
            lines: ["m=\(words[0]) 0 RTP/AVP \(type)"])
    }
}

extension SessionDescription.Media {
    /// Adds an attribute that concerns the format of the payload.
    fileprivate mutating func add(_ attribute: Substring) {
        guard
            let prefix = SessionDescription.forwardedPrefix(of: attribute, type: payloadType)
        else { return }
        lines.append("a=" + attribute)
        guard prefix == "rtpmap:" else { return }
        if attribute.uppercased().contains(text: " MP2T/") { isTransportStream = true }
        // `96 H264/90000`, and for audio also the number of channels.
        let parts = attribute.split(separator: "/")
        if parts.count > 1, let rate = Int32(parts[1].filter { $0 != " " }), rate > 0 {
            clockRate = rate
        }
    }
}

extension SessionDescription {
    /// Returns the name of an attribute if FFmpeg needs it; nil for others.
    fileprivate static func forwardedPrefix(of attribute: Substring, type: UInt8) -> String? {
        forwarded.first { name in
            guard attribute.hasPrefix(name) else { return false }
            let number = attribute.dropFirst(name.count).drop { $0 == " " }.prefix { $0 != " " }
            return UInt8(number) == type
        }
    }
}
