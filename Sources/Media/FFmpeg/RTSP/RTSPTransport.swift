// SPDX-License-Identifier: Apache-2.0

/// The channels over which a server sends a stream, as it states them in the field `Transport` of
/// its response (RFC 2326, section 12.39).
struct RTSPTransport {
    /// The channels of the media and of its control packets (RTCP).
    let (media, control): (UInt8, UInt8)

    /// Parses the field. Fails if the server does not send over the connection.
    ///
    /// - Parameter requested: The channel of the media that was requested.
    init?(_ text: String, requested: UInt8) {
        let parameters = text.split(separator: ";").map { $0.filter { $0 != " " } }
        guard parameters.first?.uppercased() == "RTP/AVP/TCP" else { return nil }
        guard
            let range = parameters.first(where: { $0.lowercased().hasPrefix("interleaved=") })
        else {
            (media, control) = (requested, requested + 1)
            return
        }
        let numbers = range.dropFirst("interleaved=".count).split(separator: "-")
        guard let first = numbers.first.flatMap({ UInt8($0) }), first < .max else { return nil }
        media = first
        control = numbers.count > 1 ? UInt8(numbers[1]) ?? first + 1 : first + 1
    }
}
