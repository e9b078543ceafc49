// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The stream of JPEG images of a network camera (`multipart/x-mixed-replace`), in a form that
/// FFmpeg reads without delay: each image with a boundary and its length.
///
/// If several images have arrived since the last one was read, all but the newest are dropped.
///
/// - Concurrency: one thread at a time, which is the thread that reads the asset.
/// - Corresponds to: FFmpeg's `mpjpeg`.
final class CameraStream: MediaDataSource, @unchecked Sendable {
    // Unchecked: used by one thread at a time, the one that opens or reads the asset.

    /// The host time at which the last image was complete; nil before the first one.
    private(set) var arrivalTime: MediaTime?
    /// The number of images that were dropped because a newer one had arrived.
    var droppedCount: Int { splitter.replacedCount }

    private let source: any MediaDataSource
    private var offset: Int64 = 0
    private var splitter: ImageSplitter
    /// The part that is read, and the number of its bytes that have been read.
    private var part: [UInt8] = []
    private var readCount = 0

    /// The number of bytes that are read at once. It is more than the images that arrive while a
    /// frame is decoded.
    private static let readSize = 1 << 20
    /// The number of bytes in which a boundary and an image are searched for.
    private static let headSize = 1024

    /// - Parameter limit: The maximum size of an image, in bytes.
    init(_ source: any MediaDataSource, limit: Int) {
        self.source = source
        splitter = ImageSplitter(limit: limit)
    }

    /// Returns whether a response is the stream of a camera.
    ///
    /// - Parameters:
    ///   - mediaType: The media type that the server states.
    ///   - head: The first bytes.
    static func isCamera(mediaType: String?, head: some Collection<UInt8>) -> Bool {
        let head = Array(head.prefix(headSize))
        let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
        let text = String(decoding: head, as: UTF8.self).lowercased()
        if mediaType?.lowercased().hasPrefix("multipart/") == true {
            return text.contains(text: "image/jpeg") || text.contains(text: "image/jpg")
                || head.indices.contains { head[$0...].starts(with: signature) }
        }
        // A boundary as in RFC 2046, section 5.1.1.
        return text.drop { "\r\n ".contains($0) }.hasPrefix("--")
            && text.contains(text: "image/jp")
    }

    var byteCount: Int64? { nil }
    var isSeekable: Bool { false }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws(MediaError) -> Int {
        if readCount == part.count { try readImage(isCancelled) }
        let rest = part[readCount...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        readCount += rest.count
        return rest.count
    }

    /// Waits for an image. At the end of the stream, the part is empty.
    private func readImage(_ isCancelled: () -> Bool) throws(MediaError) {
        (part, readCount) = ([], 0)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { room.deallocate() }
        var newest: [UInt8]?
        while true {
            let count = try source.read(into: room, at: offset, isCancelled: isCancelled)
            offset += Int64(count)
            let bytes = UnsafeRawBufferPointer(rebasing: room.prefix(count))
            newest = splitter.add(bytes) ?? newest
            // A full buffer means that more has arrived already.
            if count == 0 || newest != nil && count < room.count { break }
        }
        guard let newest else { return }
        arrivalTime = HostClock.shared.time
        let head =
            "--image\r\nContent-Type: image/jpeg\r\nContent-Length: \(newest.count)\r\n\r\n"
        part = Array(head.utf8) + newest + Array("\r\n".utf8)
    }
}
