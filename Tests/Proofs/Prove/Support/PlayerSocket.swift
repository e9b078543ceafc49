// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A client of a player's control socket, which speaks mpv's JSON protocol.
///
/// - Concurrency: one thread.
/// - Ownership: the connection ends with the object.
final class PlayerSocket {
    /// An error that the player returns for a request.
    struct Refusal: Error, CustomStringConvertible {
        let request: String
        let answer: String
        var description: String { "\(request): \(answer)" }
    }

    /// The maximum wait for an answer, in seconds, on a busy machine.
    private static let patience = 30

    private let descriptor: Int32
    private var input: [UInt8] = []
    private var lastNumber = 0

    /// Connects to a socket; returns nil if no process listens.
    init?(path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a request, and waits for the answer.
    ///
    /// - Returns: the data of the answer.
    @discardableResult
    func request(_ words: Any...) throws -> Any? {
        let text = words.map { "\($0)" }.joined(separator: " ")
        lastNumber += 1
        let line = try JSONSerialization.data(
            withJSONObject: ["command": words, "request_id": lastNumber])
        try send(line + Data("\n".utf8))
        while let answer = try readLine() {
            guard let fields = try JSONSerialization.jsonObject(with: answer) as? [String: Any],
                fields["request_id"] as? Int == lastNumber
            else { continue }
            guard let error = fields["error"] as? String, error == "success" else {
                let words = [fields["error"], fields["message"]].compactMap { $0 as? String }
                throw Refusal(request: text, answer: words.joined(separator: ": "))
            }
            return fields["data"]
        }
        throw Refusal(request: text, answer: "no answer")
    }

    /// Sends arbitrary bytes.
    func send(_ data: Data) throws {
        let count = data.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == data.count else {
            throw Refusal(request: "\(data.count) bytes", answer: String(cString: strerror(errno)))
        }
    }

    /// Returns the next line; nil if none arrives in time, or at the end.
    private func readLine() throws -> Data? {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeSubrange(...end) }
                return Data(input[..<end])
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            input += bytes[..<count]
        }
    }
}
