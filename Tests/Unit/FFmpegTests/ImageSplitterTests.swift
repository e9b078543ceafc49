// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadFFmpeg

@Suite struct ImageSplitterTests {
    /// Returns an image with all kinds of markers, which contains a thumbnail and a stuffed byte.
    private static func image(_ number: UInt8) -> [UInt8] {
        let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9, number]
        return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(2 + thumbnail.count)] + thumbnail
            + [0xFF, 0xFF, 0xDB, 0, 3, 7, 0xFF, 0xDA, 0, 4, 1, 2]
            + [9, 0xFF, 0, 8, 0xFF, 0xD0, 7, 0xFF, 0xD7, number]
            // A second scan, as in progressive images.
            + [0xFF, 0xC4, 0, 2, 0xFF, 0xDA, 0, 2, number, 0xFF, 0xFF, 0xD9]
    }

    /// Streams as cameras send them, with images 1 to 3.
    private static let streams: [String: [UInt8]] = {
        func part(_ head: String, _ number: UInt8, _ tail: String = "") -> [UInt8] {
            Array(head.utf8) + image(number) + Array(tail.utf8)
        }
        func joined(_ head: String, _ tail: String = "") -> [UInt8] {
            (1...3).flatMap { part(head, $0, tail) }
        }
        return [
            "plain": joined("--frame\r\nContent-Type: image/jpeg\r\n\r\n", "\r\n"),
            "lengths": joined("\r\n--f\r\nContent-Type: image/jpeg\r\nContent-Length: 9\r\n\r\n"),
            "no first boundary": part("Content-Type: image/jpeg\r\n\r\n", 1, "\r\n")
                + part("--f\r\n\r\n", 2) + part("--f\r\n\r\n", 3),
            "extra dashes": joined("----f\r\nContent-Type: image/jpeg\r\n\r\n", "\r\n"),
            "no boundaries": joined(""),
            "bytes between": part("\u{01}\r\n", 1) + [0xFF, 0xD8] + part("x", 2) + [0xFF]
                + part("--\r\n", 3),
        ]
    }()

    @Test(arguments: streams.keys.sorted())
    func `images are found by their markers, however the stream is cut`(name: String) throws {
        let stream = try #require(Self.streams[name])
        for size in [1, 2, 3, 7, 1000] {
            var splitter = ImageSplitter(limit: 1000)
            var images: [[UInt8]] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                let part = stream[start..<min(start + size, stream.count)]
                if let image = splitter.add(part) { images.append(image) }
            }
            #expect(images.last == Self.image(3))
            #expect(images.count + splitter.replacedCount == 3, "\(size)")
            if size < 10 { #expect(images == (1...3).map(Self.image)) }
        }
    }

    @Test func `an image is complete with its last byte`() {
        var splitter = ImageSplitter(limit: 1000)
        let image = Self.image(1)
        #expect(splitter.add(image.dropLast()) == nil)
        #expect(splitter.add(image.suffix(1)) == image)
    }

    @Test func `an image without an end ends where the next one begins`() {
        var splitter = ImageSplitter(limit: 1000)
        let cut = Array(Self.image(1).dropLast(3))
        #expect(splitter.add(cut + Array("\r\n--f\r\n\r\n".utf8) + Self.image(2)) == Self.image(2))
        #expect(splitter.replacedCount == 1)
    }

    @Test func `damaged and oversized images are dropped, and the next one is found`() {
        var splitter = ImageSplitter(limit: 100)
        let damaged: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 3, 4]
        let large: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 2] + [UInt8](repeating: 1, count: 500) + [0xFF, 0xD9]
        #expect(splitter.add(damaged) == nil)
        for start in stride(from: 0, to: large.count, by: 50) {
            #expect(splitter.add(large[start..<min(start + 50, large.count)]) == nil)
        }
        #expect(splitter.add(Self.image(3)) == Self.image(3))
    }
}
