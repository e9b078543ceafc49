// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The status and header fields of an HTTP response, added line by line.
struct HTTPResponse {
    /// The status; 0 before the first line.
    private(set) var status = 0
    /// A Boolean value that indicates whether the last line of a head has been added.
    private var isComplete = false
    /// The number of responses, of which the last one counts, without interim responses (1xx).
    /// There are several if a server demands a password.
    private(set) var count = 0
    /// The values of the fields. The keys are names in lower case. If a field occurs twice, the
    /// last value counts.
    private var fields: [String: String] = [:]
    /// The number of lines in all heads together.
    private var lineCount = 0

    /// The maximum length of a line, in bytes. Together with `lineCountLimit`, it allows larger
    /// headers than servers send: curl accepts 300 KiB, and Apache sends at most 64 KiB.
    private static let lineLimit = 16 << 10
    private static let lineCountLimit = 256

    /// Adds a line. Returns false if the response is not valid HTTP.
    mutating func add(_ bytes: some Collection<UInt8>) -> Bool {
        lineCount += 1
        guard bytes.count <= Self.lineLimit, lineCount <= Self.lineCountLimit else { return false }
        let line = Self.trimmed(Substring(String(decoding: bytes, as: UTF8.self)))
        if status == 0 || isComplete {
            // After the head, only the trailers of a body in chunks are not another head.
            guard let first = Self.status(line) else { return isComplete }
            (status, isComplete, fields) = (first, false, [:])
            return (100...599).contains(first)
        }
        if line.isEmpty {
            isComplete = true
            if status >= 200 { count += 1 }
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...]
            fields[line[..<colon].lowercased()] = Self.trimmed(value)
        }
        return true
    }

    /// A Boolean value that indicates whether the head of the final response is complete.
    var isFinal: Bool { isComplete && status >= 200 }

    subscript(name: String) -> String? { fields[name] }

    var contentLength: Int64? {
        fields["content-length"].flatMap(Int64.init).flatMap { $0 < 0 ? nil : $0 }
    }
    var isChunked: Bool {
        fields["transfer-encoding"]?.lowercased().contains(text: "chunked") == true
    }
    /// A Boolean value that indicates whether the body is compressed. Its length is not known then.
    var isCompressed: Bool {
        guard let encoding = fields["content-encoding"]?.lowercased() else { return false }
        return !encoding.isEmpty && encoding != "identity"
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

    /// Returns the status in the first line of a response; nil for another line. SHOUTcast servers
    /// respond with `ICY 200 OK`.
    private static func status(_ line: String) -> Int? {
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/") || words[0] == "ICY" else { return nil }
        return Int(words[1]) ?? 0
    }

    private static func trimmed(_ text: Substring) -> String {
        func isBlank(_ character: Character) -> Bool {
            character == " " || character == "\t" || character.isNewline
        }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }
}
