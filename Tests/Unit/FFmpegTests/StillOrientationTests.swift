// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import Testing

@testable import PlayheadFFmpeg

/// The orientation and the clean aperture that still images declare.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct StillOrientationTests {
    private let folder = TemporaryFolder()

    private static func bytes(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// An image of 64 by 48 pixels.
    private func image(_ name: String, _ options: [String] = []) throws -> URL {
        let url = folder.appending(name)
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "testsrc2=s=64x48", "-frames:v", "1",
            ] + options + [url.path])
        return url
    }

    /// TIFF data with one directory that has one tag, in either byte order.
    private static func exif(_ orientation: Int, isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            isLittle ? bytes(value, count).reversed() : bytes(value, count)
        }
        return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(1, 2)
            + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2)
            + [0, 0] + number(0, 4)
    }

    private static func add(_ exif: [UInt8], to image: [UInt8], _ name: String) -> [UInt8] {
        switch name {
        case "image.jpg":
            let segment = Array("Exif\0\0".utf8) + exif
            return image[..<2] + [0xFF, 0xE1] + bytes(segment.count + 2, 2) + segment + image[2...]
        case "image.png":
            // Behind the header, which has 13 bytes. FFmpeg does not check the checksum.
            return image[..<33] + bytes(exif.count) + Array("eXIf".utf8) + exif + bytes(0)
                + image[33...]
        case "image.webp":
            let chunk = Array("EXIF".utf8) + bytes(exif.count).reversed() + exif
            let size = bytes(image.count + chunk.count - 8).reversed()
            return image[..<4] + size + image[8...] + chunk
        default: return image
        }
    }

    /// Returns the orientations of the track and of the frame.
    private func orientations(_ url: URL) throws -> [PictureOrientation] {
        let reader = try AssetReader(asset: Opening.asset(url.path))
        let output = try reader.addVideoOutput()
        let buffer = try #require(try output.copyNextSampleBuffer()).pixelBuffer
        let track = try #require(reader.description.tracks.first { $0.mediaType == .video })
        return [track.preferredTransform, buffer.attachments.orientation]
    }

    private static let orientations: [PictureOrientation] = [
        .up, .init(quarterTurns: 0, isMirrored: true), .init(quarterTurns: 2),
        .init(quarterTurns: 2, isMirrored: true), .init(quarterTurns: 3, isMirrored: true),
        .init(quarterTurns: 1), .init(quarterTurns: 1, isMirrored: true), .init(quarterTurns: 3),
    ]

    @Test(arguments: ["image.jpg", "image.png", "image.webp"], [true, false])
    func `the orientation in Exif is that of the track and of its frame`(
        name: String, isLittle: Bool
    ) throws {
        guard let url = try? image(name) else { return }
        let plain = Array(try Data(contentsOf: url))
        for value in 0...9 {
            try Data(Self.add(Self.exif(value, isLittle: isLittle), to: plain, name)).write(to: url)
            let right = (1...8).contains(value) ? Self.orientations[value - 1] : .up
            #expect(try orientations(url) == [right, right], "\(value)")
        }
    }

    @Test func `the orientation of TIFF is that of the track and of its frame`() throws {
        let url = try image("image.tiff")
        var bytes = Array(try Data(contentsOf: url))
        // FFmpeg writes no orientation. It replaces the resolution unit, which is not read here.
        try #require(bytes[..<4] == [0x49, 0x49, 42, 0])
        func number(_ place: Int, _ count: Int) -> Int {
            bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let directory = number(4, 4)
        func place(of tag: Int) throws -> Int {
            try #require(
                (0..<number(directory, 2)).map { directory + 2 + 12 * $0 }.first {
                    number($0, 2) == tag
                })
        }
        let unit = try place(of: 0x0128)
        bytes.removeSubrange(unit..<unit + 12)
        // Tags are in ascending order; this one is behind the offsets of the strips.
        bytes.insert(
            contentsOf: [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0], at: try place(of: 0x0111) + 12)
        try Data(bytes).write(to: url)
        #expect(
            try orientations(url)
                == [PictureOrientation(quarterTurns: 1), PictureOrientation(quarterTurns: 1)])
    }

    @Test func `damaged Exif is ignored`() throws {
        let url = try image("image.jpg")
        let plain = Array(try Data(contentsOf: url))
        let whole = Self.exif(6, isLittle: true)
        for count in 0..<whole.count {
            let part = Array(whole[..<count])
            try Data(Self.add(part, to: plain, "image.jpg")).write(to: url)
            #expect(try orientations(url).count == 2)
        }
        var far = whole
        far.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        try Data(Self.add(far, to: plain, "image.jpg")).write(to: url)
        #expect(try orientations(url) == [.up, .up])
    }

    // MARK: HEIF

    /// Inserts properties behind those of an image in AVIF, in this order, and moves its data.
    private func insert(_ properties: [[UInt8]], into url: URL) throws {
        var bytes = Array(try Data(contentsOf: url))
        func number(_ place: Int) -> Int {
            bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        func find(_ type: String) throws -> Int {
            let needle = Array(type.utf8)
            return try #require(
                (4..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(needle) }) - 4
        }
        func count(in container: Int) -> Int {
            var place = container + 8
            var count = 0
            while place < container + number(container) {
                place += number(place)
                count += 1
            }
            return count
        }
        func grow(_ types: [String], by count: Int) throws {
            for type in types {
                let place = try find(type)
                bytes.replaceSubrange(place..<place + 4, with: Self.bytes(number(place) + count))
            }
        }
        let all = properties.flatMap { $0 }
        let first = count(in: try find("ipco")) + 1
        // One item, with indices of 7 bits.
        let association = try find("ipma")
        try #require(number(association + 8) == 0 && number(association + 12) == 1)
        bytes[association + 18] += UInt8(properties.count)
        let end = association + number(association)
        bytes.insert(contentsOf: properties.indices.map { UInt8(0x80 | first + $0) }, at: end)
        try grow(["meta", "iprp", "ipma"], by: properties.count)
        let container = try find("ipco")
        bytes.insert(contentsOf: all, at: container + number(container))
        try grow(["meta", "iprp", "ipco"], by: all.count)
        // One item with one extent, whose offset and length have four bytes.
        let location = try find("iloc")
        try #require(number(location) == 30)
        let moved = number(location + 22) + all.count + properties.count
        bytes.replaceSubrange(location + 22..<location + 26, with: Self.bytes(moved))
        try Data(bytes).write(to: url)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        bytes(content.count + 8) + Array(type.utf8) + content
    }

    private static let transforms: [(properties: [(String, UInt8)], right: PictureOrientation)] = [
        ([("irot", 0)], PictureOrientation.up),
        ([("irot", 1)], PictureOrientation(quarterTurns: 3)),
        ([("irot", 2)], PictureOrientation(quarterTurns: 2)),
        ([("irot", 3)], PictureOrientation(quarterTurns: 1)),
        ([("imir", 1)], PictureOrientation(quarterTurns: 0, isMirrored: true)),
        ([("imir", 0)], PictureOrientation(quarterTurns: 2, isMirrored: true)),
        // Properties apply in this order, and an orientation mirrors before it rotates.
        ([("irot", 1), ("imir", 1)], PictureOrientation(quarterTurns: 1, isMirrored: true)),
        ([("imir", 1), ("irot", 1)], PictureOrientation(quarterTurns: 3, isMirrored: true)),
        ([("irot", 3), ("imir", 0)], PictureOrientation(quarterTurns: 1, isMirrored: true)),
    ]

    @Test(arguments: transforms.indices)
    func `the rotation and mirroring of AVIF is that of the track and of its frame`(
        index: Int
    ) throws {
        let (properties, right) = Self.transforms[index]
        guard let url = try? image("image.avif", ["-c:v", "libaom-av1", "-still-picture", "1"])
        else { return }
        try insert(properties.map { Self.box($0, [$1]) }, into: url)
        #expect(try orientations(url) == [right, right])
    }

    @Test func `the clean aperture of AVIF is what the frame holds`() throws {
        guard let url = try? image("image.avif", ["-c:v", "libaom-av1", "-still-picture", "1"])
        else { return }
        let values = [40, 1, 30, 1, 4, 1, 3, 1]
        try insert([Self.box("clap", values.flatMap { Self.bytes($0) })], into: url)
        let reader = try AssetReader(asset: Opening.asset(url.path))
        let output = try reader.addVideoOutput()
        let buffer = try #require(try output.copyNextSampleBuffer()).pixelBuffer
        #expect(buffer.width == 40 && buffer.height == 30)
    }
}
