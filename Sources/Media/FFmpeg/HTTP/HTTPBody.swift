// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The body of an HTTP response, without its framing (RFC 9112, section 6.3).
struct HTTPBody {
    private enum Framing {
        case length(Int64)
        /// The body has chunks. The value is the number of bytes left in the current chunk, or nil
        /// before the first chunk. The next chunk of a live stream may arrive much later than the
        /// end of the current one.
        case chunks(left: Int64?)
        /// The body ends when the connection is closed.
        case untilClosed
        case ended
    }

    private let connection: HTTPConnection
    private let subject: String
    private var framing: Framing

    private static let lineLimit = 4096

    init(of response: HTTPResponse, on connection: HTTPConnection, subject: String) {
        self.connection = connection
        self.subject = subject
        if response.isChunked {
            framing = .chunks(left: nil)
        } else if let length = response.contentLength {
            framing = .length(length)
        } else {
            framing = .untilClosed
        }
    }

    /// A Boolean value that indicates whether reading reached the end of the body, and not just the
    /// end of a broken connection.
    private(set) var isComplete = false

    /// Reads at least one byte; returns 0 at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
        switch framing {
        case .ended:
            return 0
        case .untilClosed:
            let count = try connection.read(into: buffer)
            if count == 0 { end() }
            return count
        case .length(let left):
            guard left > 0 else {
                end()
                return 0
            }
            let count = try connection.read(into: Self.part(of: buffer, left))
            framing = .length(left - Int64(count))
            if left == Int64(count) { end() }
            return count
        case .chunks(let left):
            var size = left
            if size == nil || size == 0 { size = try nextChunk(isFirst: size == nil) }
            guard let left = size else { return 0 }
            let count = try connection.read(into: Self.part(of: buffer, left))
            framing = .chunks(left: left - Int64(count))
            return count
        }
    }

    private static func part(
        of buffer: UnsafeMutableRawBufferPointer, _ count: Int64
    ) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(count, Int64(buffer.count)))))
    }

    private mutating func end() {
        framing = .ended
        isComplete = true
    }

    /// Reads the line at the start of a chunk. Returns nil for the last chunk, which is empty.
    private mutating func nextChunk(isFirst: Bool) throws(MediaError) -> Int64? {
        if !isFirst { _ = try connection.readLine(limit: Self.lineLimit) }
        let line = try connection.readLine(limit: Self.lineLimit)
        let digits = line.prefix { $0.isHexDigit }
        guard let size = Int64(digits, radix: 16) else {
            throw MediaError(
                .damaged, subject: subject, cause: "the server's response is not valid HTTP",
                remedy: "check the address")
        }
        guard size > 0 else {
            end()
            return nil
        }
        framing = .chunks(left: size)
        return size
    }
}
