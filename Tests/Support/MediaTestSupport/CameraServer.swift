// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// A network camera on the loopback address: a server of a multipart stream of JPEG images, which a
/// test sends one by one. Each image carries its number.
///
///     let camera = try CameraServer()
///     camera.send(0...1)
///
/// - Concurrency: any thread.
public final class CameraServer: Sendable {
    /// The framing of the stream, as different cameras send it.
    public enum Framing: String, Sendable, CaseIterable {
        case lengths, noLengths, noFirstBoundary, extraDashes, chunked, plainType
    }

    private struct State {
        var bytes: [UInt8] = []
        /// A Boolean value that indicates whether the bytes before these have been sent.
        var isIdle = false
        var isEnded = false
    }

    private let images: [[UInt8]]
    private let framing: Framing
    private let state = Monitor(State())
    private let web: LoopbackServer

    /// The number of different images.
    public static let imageCount = 100

    public init(_ framing: Framing = .lengths) throws {
        self.framing = framing
        let folder = TemporaryFolder()
        let times = SyntheticFrameTimes(
            framesPerSecond: 10, duration: MediaTime(value: 10, timescale: 1))
        var media = SyntheticMedia(frameTimes: times)
        media.sounds = []
        (media.width, media.height) = (320, 240)
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-nostdin", "-i", try SyntheticClip(media).url().path,
            "-q:v", "3", "-start_number", "0", folder.appending("%d.jpg").path,
        ])
        images = try (0..<Self.imageCount).map {
            [UInt8](try Data(contentsOf: folder.appending("\($0).jpg")))
        }
        let state = state
        web = try LoopbackServer { _ in
            let type =
                framing == .plainType
                ? "application/octet-stream" : "multipart/x-mixed-replace; boundary=frame"
            let chunks = framing == .chunked ? "Transfer-Encoding: chunked\r\n" : ""
            let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(chunks)\r\n"
            return .stream(Array(head.utf8)) {
                state.change { $0.isIdle = true }
                return state.wait { state -> [UInt8]?? in
                    if state.bytes.isEmpty { return state.isEnded ? .some(nil) : nil }
                    defer { (state.bytes, state.isIdle) = ([], false) }
                    return .some(state.bytes)
                }
            }
        }
    }

    public var url: String { web.url("/stream") }

    /// Sends images. They arrive together.
    public func send(_ numbers: ClosedRange<Int>) {
        let bytes = numbers.flatMap { part($0) }
        state.change { $0.bytes += bytes }
    }

    /// Waits until the images have been sent to a client, which may not have read them.
    public func waitUntilSent() { state.wait { $0.bytes.isEmpty && $0.isIdle ? true : nil } }

    /// Ends the stream after the images that were sent.
    public func end() {
        state.change { state in
            if framing == .chunked, !state.isEnded { state.bytes += Array("0\r\n\r\n".utf8) }
            state.isEnded = true
        }
    }

    public func stop() {
        end()
        web.stop()
    }

    /// The size of an image, in bytes.
    public func byteCount(of number: Int) -> Int { images[number].count }

    private func part(_ number: Int) -> [UInt8] {
        let image = images[number]
        let length = "Content-Length: \(image.count)\r\n"
        let type = "Content-Type: image/jpeg\r\n"
        let head =
            switch framing {
            case .lengths, .plainType: "--frame\r\n\(type)\(length)\r\n"
            case .noLengths, .chunked: "--frame\r\n\(type)\r\n"
            case .noFirstBoundary: (number == 0 ? "" : "--frame\r\n") + "\(type)\(length)\r\n"
            case .extraDashes: "----frame\r\n\(type)\r\n"
            }
        let bytes = Array(head.utf8) + image + Array("\r\n".utf8)
        guard framing == .chunked else { return bytes }
        return Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8)
    }
}
