// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The address of an SRT stream, with the options of FFmpeg's `srt:` protocol that concern a
/// receiver.
///
///     srt://192.168.1.20:9000                     calls the sender
///     srt://@:9000?mode=listener                  waits for the sender, at every IPv4 address
///     srt://host:9000?latency=50000&passphrase=…  50 ms, encrypted
///
/// `latency` is in microseconds, as FFmpeg, mpv and OBS write it. Without a host, the mode is
/// `listener`. Other options are ignored.
struct SRTAddress: Hashable, CustomStringConvertible {
    /// The side of the connection that this machine takes.
    enum Mode: String {
        /// Connects to the sender.
        case caller
        /// Waits for the sender.
        case listener
    }

    /// The host of the sender or, for a listener, the address to bind; empty for every IPv4 address
    /// of the machine.
    let host: String
    let port: Int
    let mode: Mode
    /// The options for FFmpeg, by name. The passphrase is only here, and not in a URL that FFmpeg
    /// keeps.
    let options: [String: String]

    private static let longestLatency = 60_000_000
    private static let passphraseLengths = 10...79
    private static let keyLengths = [16, 24, 32]
    private static let longestIdentifier = 512

    /// Returns whether a URL has the scheme.
    static func hasScheme(_ text: String) -> Bool { text.prefix(6).lowercased() == "srt://" }

    /// Parses a URL.
    ///
    /// - Parameter subject: The URL for messages.
    init(_ text: String, subject: String) throws(MediaError) {
        let rest = text.dropFirst("srt://".count)
        var authority = rest.prefix { $0 != "/" && $0 != "?" }
        // Identifiers contain `#`, so a URL has no fragment.
        let query = rest[authority.endIndex...].drop { $0 != "?" }.dropFirst()
        if let at = authority.lastIndex(of: "@") {
            authority = authority[authority.index(after: at)...]
        }
        let isAnyHost = authority.hasPrefix(":")
        guard
            let (host, port) = HTTPAddress.hostAndPort(
                isAnyHost ? "0.0.0.0" + authority : authority, defaultPort: nil)
        else {
            throw MediaError(
                .cannotOpen, subject: subject, cause: "it is not a valid address",
                remedy: "state a host and a port, such as srt://192.168.1.20:9000")
        }
        var values: [String: String] = [:]
        for entry in query.split(separator: "&") {
            guard let equals = entry.firstIndex(of: "=") else { continue }
            let value = PercentEncoding.decoded(entry[entry.index(after: equals)...])
            values[String(entry[..<equals])] = String(decoding: value, as: UTF8.self)
        }
        let modeText = values["mode"] ?? (isAnyHost ? Mode.listener : .caller).rawValue
        guard let mode = Mode(rawValue: modeText), mode == .listener || !isAnyHost else {
            throw MediaError(
                .cannotOpen, subject: subject,
                cause: "its mode '\(modeText.printableAddress)' cannot be used",
                remedy: "use mode=caller with the host of the sender, or mode=listener")
        }
        self.host = isAnyHost ? "" : host
        (self.port, self.mode) = (port, mode)
        options = try Self.options(values, mode, subject: subject)
    }

    private static func options(
        _ values: [String: String], _ mode: Mode, subject: String
    ) throws(MediaError) -> [String: String] {
        func refusal(_ cause: String, _ remedy: String) -> MediaError {
            MediaError(.cannotOpen, subject: subject, cause: cause, remedy: remedy)
        }
        var options = ["mode": mode.rawValue]
        if let text = values["latency"] {
            guard let latency = Int(text), (0...longestLatency).contains(latency) else {
                throw refusal(
                    "its latency '\(text.printableAddress)' is not a number of microseconds from 0 "
                        + "to \(longestLatency)", "use, for example, latency=120000 for 120 ms")
            }
            options["latency"] = String(latency)
        }
        if let passphrase = values["passphrase"] {
            guard passphraseLengths.contains(passphrase.utf8.count) else {
                throw refusal(
                    "its passphrase does not have \(passphraseLengths.lowerBound) to "
                        + "\(passphraseLengths.upperBound) characters",
                    "use the passphrase of the sender")
            }
            options["passphrase"] = passphrase
        }
        if let text = values["pbkeylen"] {
            guard let length = Int(text), keyLengths.contains(length) else {
                throw refusal(
                    "its pbkeylen '\(text.printableAddress)' is not a valid key length",
                    "use pbkeylen=16, 24 or 32")
            }
            options["pbkeylen"] = String(length)
        }
        if let identifier = values["streamid"] {
            guard identifier.utf8.count <= longestIdentifier else {
                throw refusal(
                    "its streamid has more than \(longestIdentifier) characters", "shorten it")
            }
            options["streamid"] = identifier
        }
        return options
    }

    /// The address and port, for messages.
    var description: String {
        let host = self.host.isEmpty ? "every IPv4 address" : self.host
        return "\(host), port \(port)"
    }
}
