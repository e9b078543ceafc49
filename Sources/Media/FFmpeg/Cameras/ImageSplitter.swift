// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A splitter of a stream into JPEG images (ITU-T T.81, annex B).
///
/// Images are found by their own markers. What is between them, such as the boundaries and header
/// fields of a multipart stream, is skipped: cameras leave out the first boundary, add dashes, or
/// state no length or a wrong one. An image is complete with its last byte, and not only when the
/// next boundary arrives, which would take the time of a frame.
///
/// - Concurrency: a value.
struct ImageSplitter {
    /// The number of complete images that a newer one has replaced.
    private(set) var replacedCount = 0

    private var bytes: [UInt8] = []
    /// The index of the first byte of the current image; nil between images.
    private var start: Int?
    /// The index of the next byte to examine. It may be beyond the bytes.
    private var next = 0
    /// A Boolean value that indicates whether `next` is within compressed samples, and not at a
    /// marker.
    private var isInScan = false
    private let limit: Int

    /// The second bytes of markers. The first byte is `prefix`.
    private enum Marker {
        static let prefix: UInt8 = 0xFF
        static let start: UInt8 = 0xD8
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        static let temporary: UInt8 = 0x01
    }

    /// - Parameter limit: The maximum size of an image, in bytes. A larger one is dropped.
    init(limit: Int) { self.limit = limit }

    /// Adds bytes. Returns the newest image that is complete now and was not returned before; nil
    /// without one.
    mutating func add(_ part: some Collection<UInt8>) -> [UInt8]? {
        bytes.append(contentsOf: part)
        var newest: [UInt8]?
        while let image = nextImage() {
            if newest != nil { replacedCount += 1 }
            newest = image
        }
        removeExamined()
        return newest
    }

    private mutating func nextImage() -> [UInt8]? {
        while next + 1 < bytes.count {
            guard let start else {
                if !findStart() { return nil }
                continue
            }
            if isInScan {
                skipSamples()
                continue
            }
            guard bytes[next] == Marker.prefix else {
                // The image is damaged.
                self.start = nil
                continue
            }
            switch bytes[next + 1] {
            case Marker.prefix: next += 1
            case Marker.temporary, Marker.restarts: next += 2
            case Marker.end:
                next += 2
                self.start = nil
                return Array(bytes[start..<next])
            case Marker.start:
                // Some cameras leave out the end.
                self.start = nil
                return Array(bytes[start..<next])
            case let marker:
                guard next + 3 < bytes.count else { return nil }
                next += 2 + max(Int(bytes[next + 2]) << 8 | Int(bytes[next + 3]), 2)
                isInScan = marker == Marker.scan
            }
        }
        return nil
    }

    /// Moves to the beginning of an image. Returns false if the bytes contain none.
    private mutating func findStart() -> Bool {
        while let index = prefix(from: next), index + 2 < bytes.count {
            next = index + 1
            guard bytes[index + 1] == Marker.start, bytes[index + 2] == Marker.prefix else {
                continue
            }
            start = index
            next = index + 2
            isInScan = false
            return true
        }
        // The last two bytes may be the beginning of an image's signature.
        next = max(next, bytes.count - 2)
        return false
    }

    /// Moves to the next marker that does not belong to the samples.
    private mutating func skipSamples() {
        guard let index = prefix(from: next), index + 1 < bytes.count else {
            next = max(next, bytes.count - 1)
            return
        }
        next = index
        switch bytes[index + 1] {
        case 0, Marker.restarts: next += 2
        case Marker.prefix: next += 1
        default: isInScan = false
        }
    }

    /// Returns the index of the first marker's prefix at or after an index.
    private func prefix(from index: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, index < bytes.count,
                let found = memchr(start + index, Int32(Marker.prefix), bytes.count - index)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    private mutating func removeExamined() {
        if let start, bytes.count - start > limit { self.start = nil }
        let count = min(start ?? next, bytes.count)
        bytes.removeFirst(count)
        next -= count
        start = start.map { $0 - count }
    }
}
