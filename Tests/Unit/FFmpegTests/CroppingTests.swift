// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import Testing

@testable import PlayheadFFmpeg

/// The visible part of the frames that containers and codecs declare, and their rotation.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct CroppingTests {
    private let folder = TemporaryFolder()

    /// Returns a clip of 64 by 48 pixels whose luma is its column, times four.
    private func clip(_ name: String, _ options: [String]) throws -> URL {
        let url = folder.appending(name)
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
                "nullsrc=s=64x48:r=10:d=0.3,format=yuv420p,geq=lum='4*X':cb=128:cr=128",
            ] + options + [url.path])
        return url
    }

    /// Returns the size of the first frame, the luma at its top left, and the track.
    private func frame(
        _ url: URL
    ) throws -> (width: Int, height: Int, luma: Int, buffer: PixelBuffer, track: AssetTrack) {
        let reader = try AssetReader(asset: Opening.asset(url.path))
        let output = try reader.addVideoOutput()
        let buffer = try #require(try output.copyNextSampleBuffer()).pixelBuffer
        let luma = Int(buffer.planes[0].baseAddress.load(as: UInt8.self))
        let track = try #require(reader.description.tracks.first { $0.mediaType == .video })
        return (buffer.width, buffer.height, luma, buffer, track)
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Inserts a box at the end of the first sample entry, and extends all boxes around it.
    private func insert(_ box: [UInt8], intoSampleEntryOf url: URL, _ codec: String) throws {
        var bytes = Array(try Data(contentsOf: url))
        func read(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        func find(_ type: String, from start: Int) throws -> Int {
            let needle = Array(type.utf8)
            return try #require(
                (start..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(needle) }) - 4
        }
        var place = 0
        var parents: [Int] = []
        for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd", codec] {
            place = try find(type, from: place)
            parents.append(place)
        }
        let end = place + read(place)
        for parent in parents {
            bytes.replaceSubrange(
                parent..<parent + 4, with: Self.bigEndian(read(parent) + box.count))
        }
        bytes.insert(contentsOf: box, at: end)
        try Data(bytes).write(to: url)
    }

    @Test(arguments: ["clip.mp4", "clip.mov"])
    func `the clean aperture of MP4 and QuickTime is what frames hold`(name: String) throws {
        // The index follows the samples, so it may grow.
        let url = try clip(name, ["-c:v", "mpeg4", "-qscale:v", "1"])
        // 40 by 30 pixels; their centre is 4 pixels to the right of the frame's and 3 below it.
        let values = [40, 1, 60, 2, 4, 1, 3, 1]
        let box =
            Self.bigEndian(40) + Array("clap".utf8) + values.flatMap { Self.bigEndian($0) }
        try insert(box, intoSampleEntryOf: url, "mp4v")
        let result = try frame(url)
        #expect(result.width == 40 && result.height == 30)
        #expect(abs(result.luma - 4 * 16) <= 4)
        #expect(
            result.track.formatDescription.video?.cleanAperture
                == .init(x: 16, y: 12, width: 40, height: 30))
        #expect(result.track.naturalSize == (40, 30))
    }

    @Test func `an aperture beyond the frame is what can be seen of it`() throws {
        for values in [
            [200, 1, 200, 1, 0, 1, 0, 1], [0, 1, 0, 0, 9, 0, 1, 1], [64, 1, 48, 1, 0, 1, 0, 1],
        ] {
            let url = try clip("clip.mov", ["-c:v", "mpeg4"])
            let box =
                Self.bigEndian(40) + Array("clap".utf8) + values.flatMap { Self.bigEndian($0) }
            try insert(box, intoSampleEntryOf: url, "mp4v")
            let result = try frame(url)
            #expect(result.width == 64 && result.height == 48)
            #expect(result.track.formatDescription.video?.cleanAperture == nil)
        }
    }

    /// An element is missing.
    private struct EBMLError: Error {}

    /// Inserts elements at the end of the first track's `Video`, and extends those around it;
    /// FFmpeg writes lengths of one byte for the inner two and of eight for the segment.
    private func insert(_ elements: [UInt8], intoVideoOf url: URL) throws {
        var bytes = Array(try Data(contentsOf: url))
        /// Returns the position of an element's length, and its content; an unknown length extends
        /// to the end.
        func child(_ id: [UInt8], of parent: Range<Int>) throws -> (Int, Range<Int>) {
            var place = parent.lowerBound
            while place < parent.upperBound {
                let idCount = bytes[place].leadingZeroBitCount + 1
                let isFound = bytes[place..<min(place + idCount, bytes.count)].elementsEqual(id)
                place += idCount
                guard place < parent.upperBound else { break }
                let count = bytes[place].leadingZeroBitCount + 1
                let start = place + count
                guard count <= 8, start <= parent.upperBound else { break }
                let mask = (1 << (7 * count)) - 1
                let length = bytes[place..<start].reduce(0) { $0 << 8 | Int($1) } & mask
                let isUnknown = length == mask || length > parent.upperBound - start
                let end = isUnknown ? parent.upperBound : start + length
                if isFound { return (place, start..<end) }
                place = end
            }
            throw EBMLError()
        }
        let segment = try child([0x18, 0x53, 0x80, 0x67], of: 0..<bytes.count)
        let (tracks, trackList) = try child([0x16, 0x54, 0xAE, 0x6B], of: segment.1)
        let (track, entry) = try child([0xAE], of: trackList)
        let (video, _) = try child([0xE0], of: entry)
        // From the innermost: the positions of those outside do not change.
        for place in [video, track, tracks] {
            let count = bytes[place].leadingZeroBitCount + 1
            var length = bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
            length &= (1 << (7 * count)) - 1
            if place == video {
                bytes.insert(contentsOf: elements, at: place + count + length)
            }
            length += elements.count
            try #require(length < (1 << (7 * count)) - 1)
            for index in 0..<count {
                bytes[place + index] = UInt8(
                    truncatingIfNeeded: (length | 1 << (7 * count)) >> (8 * (count - 1 - index)))
            }
        }
        try Data(bytes).write(to: url)
    }

    /// Returns a stream of unknown length, so that only the elements around the new ones state
    /// lengths.
    private func matroska(_ options: [String] = []) throws -> URL {
        try clip(
            "clip.mkv", ["-c:v", "mpeg4", "-qscale:v", "1"] + options + ["-live", "1"])
    }

    @Test func `the cropping of Matroska is what frames hold`() throws {
        let url = try matroska()
        // PixelCropLeft 8, PixelCropTop 4, PixelCropRight 16, PixelCropBottom 6.
        try insert(
            [
                0x54, 0xCC, 0x81, 8, 0x54, 0xBB, 0x81, 4, 0x54, 0xDD, 0x81, 16, 0x54, 0xAA, 0x81, 6,
            ], intoVideoOf: url)
        let result = try frame(url)
        #expect(result.width == 40 && result.height == 38)
        #expect(abs(result.luma - 4 * 8) <= 4)
        #expect(
            result.track.formatDescription.video?.cleanAperture
                == .init(x: 8, y: 4, width: 40, height: 38))
    }

    @Test func `the display size of Matroska is that of the cropped frame`() throws {
        let url = try matroska()
        // 32 by 48 pixels remain, shown as 64 by 48.
        try insert(
            [
                0x54, 0xCC, 0x81, 16, 0x54, 0xDD, 0x81, 16, 0x54, 0xB0, 0x81, 64, 0x54, 0xBA, 0x81,
                48,
            ], intoVideoOf: url)
        let result = try frame(url)
        #expect(
            result.buffer.attachments.pixelAspectRatio == .init(horizontal: 2, vertical: 1))
        #expect(result.track.naturalSize == (64, 48))
    }

    @Test(arguments: [(90.0, 3), (-90.0, 1), (180.0, 2), (30.0, 0)])
    func `the roll of Matroska turns frames counter-clockwise`(
        roll: Double, quarterTurns: Int
    ) throws {
        let url = try matroska()
        let bits = roll.bitPattern
        let bytes = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bits >> UInt64($0))
        }
        try insert([0x76, 0x70, 0x8B, 0x76, 0x75, 0x88] + bytes, intoVideoOf: url)
        let result = try frame(url)
        #expect(result.buffer.attachments.orientation.quarterTurns == quarterTurns)
        #expect(result.track.preferredTransform == result.buffer.attachments.orientation)
    }

    @Test(arguments: ["h264", "hevc"])
    func `the cropping that H.264 and HEVC declare is applied once`(codec: String) throws {
        let encoder = codec == "h264" ? "libx264" : "libx265"
        for name in ["clip.mp4", "clip.mkv", "clip.ts"] {
            guard
                let url = try? clip(
                    name,
                    [
                        "-c:v", encoder, "-crf", "0", "-bsf:v",
                        "\(codec)_metadata=crop_left=16:crop_right=8:crop_top=4:crop_bottom=4",
                    ])
            else { return }
            let result = try frame(url)
            #expect(result.width == 40 && result.height == 40, "\(name)")
            #expect(abs(result.luma - 4 * 16) <= 8, "\(name)")
            #expect(result.track.naturalSize == (40, 40), "\(name)")
        }
    }
}
