// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// A request for a file or a range of a file, and the connection that carries it.
struct HTTPRequest {
    /// The address, without user and password.
    var url = ""
    /// The range of bytes, such as `0-`; nil for the whole file.
    var range: String?
    /// A Boolean value that indicates whether the server may compress the file.
    var acceptsCompression = false
    /// Further header fields.
    var fields: [String: String] = [:]
    /// Cookies to be added to those of the servers, as lines of Netscape's cookie files.
    var cookies: [String] = []
    /// The name of the program.
    var userAgent = "Playhead"
    /// The user and password; nil for none.
    var credentials: Credentials?
    /// The address of the proxy; nil for none.
    var proxy: String?
    /// A Boolean value that indicates whether the certificate of an HTTPS server is verified.
    var verifiesCertificate = true
    /// The IP addresses to which the host name leads, in the form of `CURLOPT_RESOLVE`; nil if
    /// libcurl resolves the name.
    var resolution: String?
    /// A Boolean value that indicates whether no open connection may be used.
    var needsNewConnection = false

    /// A user and a password.
    struct Credentials {
        let user: String
        let password: String
        /// A Boolean value that indicates whether the password is sent without encoding (*Basic*)
        /// with the first request. Otherwise the server is asked first which proof it wants.
        var isSentAtOnce = false

        /// Parses the part `user:password` of a URL.
        init(_ userInformation: String) {
            let parts = userInformation.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            func text(_ index: Int) -> String {
                guard index < parts.count else { return "" }
                return String(decoding: PercentEncoding.decoded(parts[index]), as: UTF8.self)
            }
            (user, password) = (text(0), text(1))
        }
    }

    /// The names of files that are read whole and are worth compressing: playlists and subtitles.
    private static let documents = [
        "m3u8", "m3u", "mpd", "vtt", "srt", "ass", "ssa", "smi", "sami", "ttml", "dfxp", "xml",
        "scc", "txt",
    ]

    /// Creates a request for a file from an offset to another one, which is nil for the end of the
    /// file.
    ///
    /// Only a file that is read whole is requested compressed and without a range, because a range
    /// of a compressed file has no use.
    init(for address: HTTPAddress, from start: Int64, to end: Int64?) {
        let path = address.target.prefix { $0 != "?" }
        let ending = path.lastIndex(of: ".").map { path[path.index(after: $0)...].lowercased() }
        acceptsCompression = start == 0 && end == nil && Self.documents.contains(ending ?? "")
        if !acceptsCompression { range = "\(start)-\(end.map { String($0 - 1) } ?? "")" }
    }

    /// The header fields as lines.
    ///
    /// - Throws: An error if one of them could end a line.
    func lines(subject: String) throws(MediaError) -> [String] {
        var lines: [String] = []
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard Self.isName(name), Self.isValue(value) else {
                throw MediaError(
                    .cannotOpen, subject: subject,
                    cause: "the HTTP header field '\(name.printableAddress)' is not valid",
                    remedy: "state a name and a value without line breaks")
            }
            // A line without a value would remove a field that libcurl adds.
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        return lines
    }

    /// Returns whether a text is a token (RFC 9110, section 5.6.2).
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0)
            }
    }

    /// Returns whether a text contains no control characters.
    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
