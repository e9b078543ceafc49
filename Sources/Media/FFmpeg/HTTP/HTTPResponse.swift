// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The status and header fields of an HTTP response.
struct HTTPResponse {
    let status: Int
    /// The values of the fields. The keys are names in lower case. If a field occurs twice, the
    /// last value counts.
    private var fields: [String: String] = [:]

    /// The maximum length of a line, in bytes. Together with `lineCountLimit`, it allows larger
    /// headers than servers send: curl accepts 300 KiB, and Apache sends at most 64 KiB.
    private static let lineLimit = 16 << 10
    private static let lineCountLimit = 256

    /// Reads the header of a response, and skips interim responses (1xx).
    init(from connection: HTTPConnection, subject: String) throws(MediaError) {
        var status = 0
        // The number of lines in all headers together. It also limits the number of interim
        // responses.
        var count = 0
        repeat {
            count += 1
            guard count <= Self.lineCountLimit else { throw Self.invalid(subject) }
            let words = try connection.readLine(limit: Self.lineLimit).split(separator: " ")
            // SHOUTcast servers respond with `ICY 200 OK`.
            guard words.count >= 2, words[0].hasPrefix("HTTP/1.") || words[0] == "ICY",
                let code = Int(words[1]), (100...599).contains(code)
            else { throw Self.invalid(subject) }
            status = code
            fields = [:]
            while true {
                let line = try connection.readLine(limit: Self.lineLimit)
                if line.isEmpty { break }
                count += 1
                guard count <= Self.lineCountLimit else { throw Self.invalid(subject) }
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...]
                fields[line[..<colon].lowercased()] = Self.trimmed(value)
            }
        } while status < 200
        self.status = status
    }

    subscript(name: String) -> String? { fields[name] }

    var contentLength: Int64? {
        fields["content-length"].flatMap(Int64.init).flatMap { $0 < 0 ? nil : $0 }
    }
    var isChunked: Bool {
        fields["transfer-encoding"]?.lowercased().contains(text: "chunked") == true
    }
    var isRedirection: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The offset of the first byte of a partial response, and the size of the whole resource, in
    /// bytes (RFC 9110, section 14.4).
    var contentRange: (start: Int64, total: Int64?)? {
        guard let text = fields["content-range"], text.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        let parts = text.dropFirst(6).split(separator: "/")
        guard parts.count == 2, let first = parts[0].split(separator: "-").first,
            let start = Int64(first), start >= 0
        else { return nil }
        return (start, Int64(parts[1]))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }

    private static func invalid(_ subject: String) -> MediaError {
        MediaError(
            .damaged, subject: subject, cause: "the server's response is not valid HTTP",
            remedy: "check the address")
    }
}
