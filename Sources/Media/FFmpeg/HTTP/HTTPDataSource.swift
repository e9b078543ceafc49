// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A file on an HTTP server. It is read by ranges if the server supports them.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: FFmpeg's `http:` and `https:`.
final class HTTPDataSource: MediaDataSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    /// The final address, after redirections.
    private(set) var address: HTTPAddress
    private(set) var byteCount: Int64?
    private(set) var isSeekable = false
    /// The date of the last response according to the server, as stated.
    private(set) var serverDate: String?
    /// The media type of the last response; nil if the server states none.
    private(set) var mediaType: String?

    /// The titles that the server inserts into the audio; nil if it inserts none.
    private(set) var titles: RadioTitles?

    /// A function that sends a request to an address if the rules allow it, and waits for the head
    /// of the response. `from` is the address that redirected to it, or nil for the first address.
    typealias Send =
        (_ request: HTTPRequest, _ address: HTTPAddress, _ from: HTTPAddress?) throws(MediaError) ->
        HTTPExchange

    private let send: Send
    private let subject: String
    private let maximumRedirects: Int
    private let transfer: TransferMonitor?
    /// The end of the range; nil if the whole file is read.
    private let end: Int64?
    /// A Boolean value that indicates whether the server is asked for titles.
    private let asksForTitles: Bool
    /// The maximum size of a compressed file after decompression, in bytes.
    private let decodedLimit: Int
    private var body: HTTPExchange?
    /// The number of bytes of the body so far, as they were sent and after decompression.
    private var counts: (arrived: Int64, decoded: Int64) = (0, 0)
    private var position: Int64 = 0

    /// The maximum distance of a forward seek for which reading is faster than a new request, in
    /// bytes.
    private static let skipLimit: Int64 = 1 << 17
    /// The maximum number of consecutive reconnections without receiving a byte.
    private static let maximumRetries = 3

    /// Sends the first request.
    ///
    /// - Parameters:
    ///   - start: The offset at which reading begins.
    ///   - end: The offset at which reading ends, so that no further bytes are requested; nil for
    ///     the end of the file.
    ///   - asksForTitles: A Boolean value that indicates whether internet radio should send the
    ///     titles of its programme.
    init(
        _ address: HTTPAddress, from start: Int64, to end: Int64?, subject: String,
        maximumRedirects: Int, asksForTitles: Bool = false, decodedLimit: Int,
        transfer: TransferMonitor?, send: @escaping Send
    ) throws(MediaError) {
        self.address = address
        self.end = end
        self.asksForTitles = asksForTitles
        self.subject = subject
        self.maximumRedirects = maximumRedirects
        self.decodedLimit = decodedLimit
        self.transfer = transfer
        self.send = send
        try request(from: start)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        // No file is that long. The limit prevents an overflow of later positions.
        guard offset >= 0, offset <= Int64.max - Int64(buffer.count) else { return 0 }
        if let byteCount, offset >= byteCount { return 0 }
        var retries = 0
        while true {
            do throws(MediaError) {
                try move(to: offset)
                let count = try receive(into: buffer)
                position += Int64(count)
                if count > 0 || body?.isComplete != false { return count }
                throw brokenOff
            } catch {
                body = nil
                retries += 1
                let isFinal = error.code == .notAllowed || error.code == .limitExceeded
                if isFinal || !isSeekable || retries > Self.maximumRetries || isCancelled() {
                    throw error
                }
            }
        }
    }

    private func move(to offset: Int64) throws(MediaError) {
        if body == nil || offset < position || offset - position > Self.skipLimit {
            if body == nil || offset != position { try request(from: offset) }
        }
        guard position < offset else { return }
        let waste = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(Self.skipLimit), alignment: 16)
        defer { waste.deallocate() }
        while position < offset {
            let part = waste.prefix(Int(min(offset - position, Self.skipLimit)))
            let count = try receive(into: UnsafeMutableRawBufferPointer(rebasing: part))
            guard count > 0 else { throw brokenOff }
            position += Int64(count)
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard let titles else { return try receiveBody(into: buffer) }
        if titles.isDue(at: position) {
            let size = try receiveAll(1).first.map { Int($0) * RadioTitles.unit } ?? 0
            titles.note(try receiveAll(size), at: position)
        }
        let count = Int(min(Int64(buffer.count), titles.distance(from: position)))
        return try receiveBody(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)))
    }

    private func receiveBody(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        guard let body else { return 0 }
        let count = try body.read(into: buffer)
        guard body.response.isCompressed else {
            transfer?.noteBytes(count)
            return count
        }
        let arrived = body.arrivedByteCount
        transfer?.noteBytes(Int(arrived - counts.arrived))
        counts = (arrived, counts.decoded + Int64(count))
        guard counts.decoded <= Int64(decodedLimit) else {
            throw MediaError(
                .limitExceeded, subject: subject,
                cause: "it is compressed and has more than \(decodedLimit >> 20) MiB",
                remedy: "check the address")
        }
        return count
    }

    /// Returns a number of bytes; fewer at the end.
    private func receiveAll(_ count: Int) throws(MediaError) -> [UInt8] {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        defer { block.deallocate() }
        var read = 0
        while read < count {
            let part = try receiveBody(
                into: UnsafeMutableRawBufferPointer(rebasing: block[read..<count]))
            if part == 0 { break }
            read += part
        }
        return Array(block.prefix(read))
    }

    // MARK: - Requests

    private func request(from start: Int64) throws(MediaError) {
        (body, counts) = (nil, (0, 0))
        var previous: HTTPAddress?
        for _ in 0...maximumRedirects {
            var request = HTTPRequest(for: address, from: start, to: end)
            if asksForTitles, start == 0 { request.fields["Icy-MetaData"] = "1" }
            let exchange = try send(request, address, previous)
            let response = exchange.response
            serverDate = response["date"]
            guard response.isRedirection, let location = response["location"] else {
                try take(exchange, from: start)
                return
            }
            let target = address.resolving(location)
            guard let next = HTTPAddress(target) else {
                let name = AssetLocation(target).publicDescription.printableAddress
                throw MediaError(
                    .notAllowed, subject: subject,
                    cause: "the server redirects to \(name), which is not an HTTP address",
                    remedy: "check the address")
            }
            previous = address
            address = next
        }
        throw MediaError(
            .limitExceeded, subject: subject,
            cause: "the server redirects more than \(maximumRedirects) times",
            remedy: "check the address")
    }

    private func take(_ exchange: HTTPExchange, from start: Int64) throws(MediaError) {
        let response = exchange.response
        switch response.status {
        case 200..<300: break
        // The requested range begins at or after the end of the file.
        case 416 where start > 0:
            byteCount =
                response["content-range"].flatMap { Int64($0.drop { !$0.isNumber }) } ?? start
            position = start
            return
        default: throw refusal(response.status)
        }
        body = exchange
        mediaType = response["content-type"]
        titles = response["icy-metaint"].flatMap { Int64($0) }.flatMap { RadioTitles(interval: $0) }
        if response.status == 206, let range = response.contentRange {
            guard range.start == start else {
                throw MediaError(
                    .damaged, subject: subject,
                    cause: "the server sends a different range than requested",
                    remedy: "download the file and open it")
            }
            position = start
            byteCount = range.total
            isSeekable = true
        } else {
            position = 0
            byteCount = response.isChunked ? nil : response.contentLength
            isSeekable = response["accept-ranges"]?.lowercased() == "bytes" && byteCount != nil
            guard start <= Self.skipLimit else {
                isSeekable = false
                throw MediaError(
                    .cannotOpen, subject: subject,
                    cause: "the server does not support range requests",
                    remedy: "download the file and open it")
            }
        }
        // What the server states then concerns other bytes.
        if titles != nil || response.isCompressed { (isSeekable, byteCount) = (false, nil) }
    }

    private func refusal(_ status: Int) -> MediaError {
        var error =
            switch status {
            case 404, 410: FFmpegError.httpNotFound.whileReading(subject)
            case 401, 403, 407: FFmpegError.httpForbidden.whileReading(subject)
            case 500...: FFmpegError.httpServerError.whileReading(subject)
            default:
                MediaError(
                    .cannotOpen, subject: subject,
                    cause: "the server refuses the request (\(status))",
                    remedy: "check the address")
            }
        error.httpStatus = status
        return error
    }

    private var brokenOff: MediaError {
        let total = byteCount.map { " of \($0)" } ?? ""
        return MediaError(
            .damaged, subject: subject,
            cause: "the server closed the connection after \(position)\(total) bytes",
            remedy: "check the network, and try again")
    }
}
