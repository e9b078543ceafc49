// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

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

    /// A Boolean value that indicates whether the only stream is an MPEG transport stream.
    var isTransportStream: Bool { media.first?.isTransportStream ?? false }

    /// The streams in the form that FFmpeg reads.
    var text: String {
        (["v=0", "o=- 0 0 IN IP4 127.0.0.1", "c=IN IP4 127.0.0.1", "t=0 0"]
            + media.flatMap(\.lines)).map { $0 + "\r\n" }.joined()
    }

    private static let maximumMedia = 8
    private static let transportStreamType: UInt8 = 33
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
                if end?.contains(where: { $0 != " " }) ?? false { hasEnd = true }
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
            payloadType: type, isTransportStream: type == transportStreamType,
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
        if prefix == "rtpmap:", attribute.uppercased().contains(text: " MP2T/") {
            isTransportStream = true
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
