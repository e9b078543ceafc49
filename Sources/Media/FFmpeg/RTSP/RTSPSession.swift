// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadAssets
import PlayheadTime

/// A session with an RTSP server (RFC 2326) that sends media over the connection itself.
///
/// FFmpeg's demuxer for RTSP follows redirections to any host, and resolves names without an end.
/// Therefore the session is conducted here, over one connection to the server that the caller has
/// named, and FFmpeg reads the packets of RTP.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Ownership: the session is ended on deallocation.
final class RTSPSession: ArrivingSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    private(set) var description = SessionDescription([])
    private(set) var byteTotal: Int64 = 0
    private(set) var isConnected = true
    /// The number of packets that were lost.
    private(set) var lostCount = 0
    /// A Boolean value that indicates whether a recording has arrived up to its end, and the server
    /// sends no more.
    private var hasEnded = false
    /// The time in a recording at which the media begins.
    private var begin: MediaTime

    let subject: String
    private let address: RTSPAddress
    private let interrupt: Interrupt
    private var connection: RTSPConnection?
    private var streams: [Stream] = []
    private var losses: LossLog
    /// The packets that have arrived, and the number of those that have been read.
    private var ready: [[UInt8]] = []
    private var readCount = 0
    /// The number of bytes of packets that have arrived while the session is started.
    private var earlyBytes = 0

    private var number = 0
    private var url: String
    private var identifier: String?
    private var authorization: RTSPAuthorization?
    /// A Boolean value that indicates whether a demand for the password is answered. One for each
    /// request that keeps the session is.
    private var mayProveAgain = false
    /// The method of the requests that keep the session.
    private var method = "OPTIONS"
    /// The interval at which the server expects a request, and the host time of the last one, in
    /// nanoseconds.
    private var keepAlive = (interval: Int64(30_000_000_000), last: HostClock.nanoseconds)

    private struct Stream {
        let payloadType: UInt8
        let channels: RTSPTransport
        var sequence: UInt16?
        var progress: StreamProgress
        /// The identifier of the source of its packets; nil before the first packet.
        var source: UInt32?
        /// The control packet that arrived before the first packet. FFmpeg assigns control packets
        /// to streams by the source.
        var report: [UInt8]?
    }

    private static let largestEarly = 4 << 20
    private static let agent = "User-Agent: Playhead\r\n"
    /// The distance between two sequence numbers beyond which a sender has started again.
    private static let longestGap = 1000

    /// Starts a session.
    ///
    /// - Parameter begin: The time in a recording at which the media begins.
    init(
        _ address: RTSPAddress, from begin: MediaTime = .zero, subject: String,
        interrupt: Interrupt, transfer: TransferMonitor
    ) throws(MediaError) {
        (self.address, self.subject, self.interrupt) = (address, subject, interrupt)
        self.begin = begin
        url = address.url
        losses = LossLog(subject, kind: "RTP", transfer: transfer)
        guard av_find_input_format("sdp") != nil else {
            throw MediaError(
                .cannotOpen, subject: subject,
                cause: "FFmpeg \(String(cString: av_version_info())) was built without RTP",
                remedy: "install a complete build of FFmpeg, such as Debian's libavformat")
        }
        connection = try RTSPConnection(to: address, subject: subject, interrupt: interrupt)
        try start()
    }

    deinit { disconnect() }

    func disconnect() {
        if connection != nil, identifier != nil {
            // Otherwise the server would keep the session for a while, and some permit only a few.
            interrupt.permitLastMessage { _ = try? send("TEARDOWN", url) }
        }
        isConnected = false
        connection = nil
    }

    /// The time in a recording up to which all its streams have arrived.
    var position: MediaTime {
        guard description.hasEnd else { return .zero }
        return begin + (streams.compactMap(\.progress.duration).min() ?? .zero)
    }

    /// A Boolean value that indicates whether a recording has arrived up to its end.
    private var isAtEnd: Bool {
        guard let end = description.end else { return false }
        return streams.contains { $0.progress.reaches(end - begin) }
    }

    /// Handles the end of all streams, which the server has stated (RTCP BYE). Returns the error of
    /// a live session, which may come back; nil for a recording.
    func end() -> MediaError? {
        guard !description.hasEnd else { return nil }
        disconnect()
        return MediaError(
            .cannotOpen, subject: subject, cause: "the server has ended the stream",
            remedy: "check that its source still runs")
    }

    // MARK: - Starting

    private func start() throws(MediaError) {
        let options = try perform("OPTIONS", url)
        if options["public"]?.uppercased().contains(text: "GET_PARAMETER") ?? false {
            method = "GET_PARAMETER"
        }
        let answer = try perform("DESCRIBE", url, "Accept: application/sdp\r\n")
        description = SessionDescription(answer.body)
        guard !description.media.isEmpty else {
            throw MediaError(
                .noPlayableTracks, subject: subject,
                cause: "the server offers neither video nor audio by RTP",
                remedy: "check the address")
        }
        let base = (answer["content-base"] ?? answer["content-location"]).flatMap { text in
            RTSPAddress(text)?.url
        }
        let home = base ?? url
        for media in description.media { try setUp(media, base: home) }
        url = RTSPAddress.url(of: description.control, base: home)
        let playing = try perform("PLAY", url, NormalPlayTime.field(from: begin))
        // A server may begin at an earlier keyframe.
        if let start = playing["range"].flatMap({ NormalPlayTime($0) })?.start { begin = start }
    }

    private func setUp(
        _ media: SessionDescription.Media, base: String
    ) throws(MediaError) {
        let channel = UInt8(2 * streams.count)
        let answer = try perform(
            "SETUP", RTSPAddress.url(of: media.control, base: base),
            "Transport: RTP/AVP/TCP;unicast;interleaved=\(channel)-\(channel + 1)\r\n")
        guard
            let channels = answer["transport"].flatMap({
                RTSPTransport($0, requested: channel)
            })
        else { throw notOverConnection }
        if let session = answer["session"] {
            let parts = session.split(separator: ";").map { $0.filter { $0 != " " } }
            identifier = parts.first
            for part in parts where part.lowercased().hasPrefix("timeout=") {
                guard let seconds = Int64(part.dropFirst("timeout=".count)) else { continue }
                keepAlive.interval = min(max(seconds, 2), 3600) * 500_000_000
            }
        }
        streams.append(
            Stream(
                payloadType: media.payloadType, channels: channels,
                progress: StreamProgress(clockRate: media.clockRate)))
    }

    /// Sends a request, and returns the response. Answers a demand for a password once.
    private func perform(
        _ method: String, _ url: String, _ fields: String = ""
    ) throws(MediaError) -> RTSPMessage {
        var mayAuthorize = true
        while true {
            let number = try send(method, url, fields)
            let answer = try response(number)
            if answer.status == 401, mayAuthorize, let proof = proof(for: answer) {
                authorization = proof
                mayAuthorize = false
                continue
            }
            guard let error = refusal(answer, of: method) else { return answer }
            throw error
        }
    }

    /// Returns the proof of the password that a response demands; nil if the address has no user,
    /// or if the server demands a proof of another kind.
    private func proof(for answer: RTSPMessage) -> RTSPAuthorization? {
        address.user.flatMap {
            RTSPAuthorization(
                challenges: answer.values(of: "www-authenticate"), user: $0,
                password: address.password)
        }
    }

    @discardableResult
    private func send(
        _ method: String, _ url: String, _ fields: String = ""
    ) throws(MediaError) -> Int {
        guard let connection else { throw closed }
        number += 1
        var text = "\(method) \(url) RTSP/1.0\r\nCSeq: \(number)\r\n" + Self.agent
        if let identifier { text += "Session: \(identifier)\r\n" }
        let random = String(UInt64.random(in: 0 ... .max), radix: 16)
        if let value = authorization?.value(method: method, url: url, clientNonce: random) {
            text += "Authorization: \(value)\r\n"
        }
        keepAlive.last = HostClock.nanoseconds
        try connection.send(text + fields + "\r\n")
        return number
    }

    /// Reads up to the response to a request. Packets that arrive before it are kept.
    private func response(_ number: Int) throws(MediaError) -> RTSPMessage {
        while true {
            guard let item = try connection?.next() else { throw closed }
            switch item {
            case .packet(let packet, let channel):
                take(packet, channel)
                earlyBytes += packet.count
                guard earlyBytes <= Self.largestEarly else {
                    throw MediaError(
                        .limitExceeded, subject: subject,
                        cause: "the server sends media instead of an answer",
                        remedy: "check the server")
                }
            case .message(let message):
                guard message.status != nil else {
                    try answer(message)
                    continue
                }
                let answered = message["cseq"].flatMap { Int($0.filter { $0 != " " }) }
                if answered ?? number == number, message.status != 100 { return message }
            }
        }
    }

    // MARK: - Reading

    /// Returns the next packet of RTP or RTCP; nil at the end of a recording.
    func nextPacket() throws(MediaError) -> [UInt8]? {
        guard !hasEnded else { return nil }
        do throws(MediaError) {
            while readCount == ready.count {
                ready.removeAll(keepingCapacity: true)
                readCount = 0
                guard isConnected else { throw closed }
                if HostClock.nanoseconds - keepAlive.last >= keepAlive.interval {
                    mayProveAgain = true
                    try send(method, url)
                }
                guard let item = try connection?.next() else { throw closed }
                switch item {
                case .packet(let packet, let channel): take(packet, channel)
                // These are the responses to the requests that keep the session.
                case .message(let message):
                    if message.status == nil { try answer(message) }
                    if message.status == 454 { throw closed }
                    if message.status == 401 { try proveAgain(for: message) }
                }
            }
        } catch {
            // At the end of a recording, some servers only close the connection, or send no more.
            if isAtEnd, !interrupt.isCancelled, !interrupt.stopsWaiting {
                hasEnded = true
                return nil
            }
            // A part of a message may have been read.
            isConnected = false
            throw error
        }
        let packet = ready[readCount]
        ready[readCount] = []
        readCount += 1
        byteTotal += Int64(packet.count)
        return packet
    }

    /// Sends the request that keeps the session again, because the server has replaced the nonce.
    private func proveAgain(for answer: RTSPMessage) throws(MediaError) {
        guard mayProveAgain, let proof = proof(for: answer) else { return }
        mayProveAgain = false
        authorization = proof
        try send(method, url)
    }

    /// Adds a packet to those that are read. Packets of no stream are dropped.
    private func take(_ packet: [UInt8], _ channel: UInt8) {
        if let index = streams.firstIndex(where: { $0.channels.control == channel }) {
            guard packet.count >= 8, packet[0] >> 6 == 2 else { return }
            if streams[index].source == nil {
                streams[index].report = packet
            } else if !description.isTransportStream {
                ready.append(packet)
            }
            return
        }
        guard let index = streams.firstIndex(where: { $0.channels.media == channel }),
            let header = RTPHeader(packet), header.payloadType == streams[index].payloadType
        else { return }
        if streams[index].source == header.source, let last = streams[index].sequence {
            let gap = Int(header.sequence &- last &- 1)
            if gap < Self.longestGap { lostCount += gap }
            losses.note(lostCount)
        }
        streams[index].progress.note(
            header.timestamp, isNewSource: streams[index].source != header.source)
        streams[index].sequence = header.sequence
        streams[index].source = header.source
        ready.append(description.isTransportStream ? Array(packet[header.payload]) : packet)
        if let report = streams[index].report {
            streams[index].report = nil
            if !description.isTransportStream { ready.append(report) }
        }
    }

    /// Sends a report that FFmpeg has made about a stream.
    func send(report: [UInt8]) {
        // The source that the report is about follows the header and the sender: RFC 3550, section
        // 6.4.2.
        guard report.count >= 12, let connection, isConnected else { return }
        let source = report[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        guard let stream = streams.first(where: { $0.source == source }) else { return }
        try? connection.send(report, channel: stream.channels.control)
    }

    /// Answers a request of the server.
    private func answer(_ request: RTSPMessage) throws(MediaError) {
        if request.method == "REDIRECT" { throw redirection(request["location"]) }
        if request.method == "TEARDOWN" { throw closed }
        let isKnown = ["OPTIONS", "GET_PARAMETER", "SET_PARAMETER", "ANNOUNCE"].contains(
            request.method)
        let number = Int((request["cseq"] ?? "").filter { $0 != " " }) ?? 0
        try connection?.send(
            "RTSP/1.0 \(isKnown ? "200 OK" : "501 Not Implemented")\r\nCSeq: \(number)\r\n\r\n")
    }

    // MARK: - Errors

    private var closed: MediaError {
        MediaError(
            .cannotOpen, subject: subject, cause: "the server has closed the RTSP connection",
            remedy: "check that the server still runs")
    }

    private var notOverConnection: MediaError {
        MediaError(
            .cannotOpen, subject: subject,
            cause: "the server does not send RTP over the RTSP connection",
            remedy: "allow RTP over TCP (interleaved) on the server")
    }

    private func redirection(_ target: String?) -> MediaError {
        let target = AssetLocation.remote(url: target ?? "another address").publicDescription
        return MediaError(
            .notAllowed, subject: subject,
            cause: "the server redirects to \(target.printableAddress)",
            remedy: "open that address yourself if you trust it")
    }

    /// Returns the error for a response that refuses a request; nil for other responses.
    private func refusal(_ answer: RTSPMessage, of method: String) -> MediaError? {
        let status = answer.status ?? 0
        func error(_ cause: String, _ remedy: String) -> MediaError {
            MediaError(.cannotOpen, subject: subject, cause: cause, remedy: remedy)
        }
        switch status {
        case 200..<300: return nil
        case 300..<400: return redirection(answer["location"])
        // Some servers know only the necessary methods.
        case 400..<600 where method == "OPTIONS" && status != 401: return nil
        case 401
        where address.user != nil && proof(for: answer) == nil
            && answer["www-authenticate"] != nil:
            return error(
                "the server accepts a password neither by Digest with MD5 nor by Basic (401)",
                "allow one of them on the server")
        case 401, 403:
            return address.user == nil
                ? error(
                    "the server demands a user and a password (\(status))",
                    "state them in the address: rtsp://user:password@…")
                : error(
                    "the server refuses the user or the password (\(status))",
                    "check both; characters such as @ and / are written as %40 and %2F")
        case 404: return error("the server has no such stream (404)", "check the address")
        case 461: return notOverConnection
        default:
            return error(
                "the server refuses the request \(method) (\(status))",
                "check the address and the server")
        }
    }
}
