// SPDX-License-Identifier: Apache-2.0

/// A response of an RTSP server, or a request that it sends to the player (RFC 2326, sections 6 and
/// 7).
struct RTSPMessage {
    /// The status of a response; nil for a request.
    let status: Int?
    /// The method of a request; empty for a response.
    let method: String
    private(set) var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// Parses the first line. Fails if it is neither that of a response nor that of a request.
    init?(firstLine: String) {
        let words = firstLine.split(separator: " ", maxSplits: 2)
        if firstLine.hasPrefix("RTSP/") {
            guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]),
                (100...599).contains(status)
            else { return nil }
            (self.status, method) = (status, "")
        } else {
            guard words.count == 3, words[2].hasPrefix("RTSP/"),
                words[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x5F })
            else { return nil }
            (status, method) = (nil, String(words[0]))
        }
    }

    /// Adds a line of the header. Returns false if it is not a field.
    mutating func add(line: String) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return false }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        fields.append((line[..<colon].lowercased(), String(value)))
        return true
    }

    /// The first field with a name in lower case.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The values of all fields with a name in lower case.
    func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}
