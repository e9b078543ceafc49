// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers

/// The geometry of the video tracks of a Matroska file. libavformat reports it only from version
/// 7.1 on.
///
/// Only the elements that lead to the geometry are read, and only in local files. The first
/// malformed element ends the search.
///
/// - Concurrency: one thread at a time, which is the thread of the context. The position of the
///   context is restored.
/// - Corresponds to: the element `Video` of RFC 9559, section 5.1.4.1.28.
struct MatroskaVideo {
    /// The contents of one `Video` element.
    struct Entry {
        var width = 0
        var height = 0
        var left = 0
        var top = 0
        var right = 0
        var bottom = 0
        /// The width at which the part that is not cropped is shown, in `displayUnit`; 0 if the
        /// file does not state it.
        var displayWidth = 0
        var displayHeight = 0
        var displayUnit = 0
        /// The rotation in degrees, counter-clockwise.
        var roll = 0.0
        /// The number of the projection; 0 for flat frames.
        var projection = 0
    }

    /// The entries, in the order of the tracks.
    private(set) var entries: [Entry] = []

    private let input: UnsafeMutablePointer<AVIOContext>
    private var elementCount = 0

    private static let maximumElements = 4096
    /// The value that represents an unknown length, whose bits are all ones in the file (RFC 8794,
    /// section 6.2).
    private static let unknownLength = Int64.max

    /// Reads the elements. Fails for other formats and for sources other than local files.
    init?(_ context: FormatContext) {
        let format = context.pointer.pointee
        guard String(cString: format.iformat.pointee.name) == "matroska,webm",
            let url = format.url, String(cString: url).hasPrefix("file:"), let input = format.pb,
            input.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
        else { return nil }
        self.input = input
        let position = avio_seek(input, 0, SEEK_CUR)
        let size = avio_size(input)
        if size > 0, avio_seek(input, 0, SEEK_SET) == 0 { _ = readElements(until: size, depth: 0) }
        _ = avio_seek(input, position, SEEK_SET)
    }

    // MARK: Elements

    /// - Returns: A Boolean value that indicates whether the search continues after these elements.
    private mutating func readElements(until end: Int64, depth: Int) -> Bool {
        while depth < 6, elementCount < Self.maximumElements {
            let start = avio_seek(input, 0, SEEK_CUR)
            guard start >= 0, start < end, let id = readNumber(keepsMarker: true),
                let length = readNumber(keepsMarker: false)
            else { return depth > 0 && start == end }
            elementCount += 1
            let body = avio_seek(input, 0, SEEK_CUR)
            let isUnknown = length == Self.unknownLength
            let next = isUnknown ? end : body + length
            guard next <= end, next >= body else { return false }
            switch id {
            // Segment and TrackEntry.
            case 0x1853_8067, 0xAE:
                guard readElements(until: next, depth: depth + 1) else { return false }
            // Tracks. There is only one, and nothing after it is needed.
            case 0x1654_AE6B:
                _ = readElements(until: next, depth: depth + 1)
                return false
            // Cluster. In every file that plays while it is read, the tracks come before it.
            case 0x1F43_B675: return false
            case 0xE0:
                entries.append(Entry())
                readVideo(until: next, depth: 0)
            default: break
            }
            guard avio_seek(input, next, SEEK_SET) == next else { return false }
        }
        return false
    }

    /// Reads the children of `Video` and of the `Projection` inside it.
    private mutating func readVideo(until end: Int64, depth: Int) {
        while elementCount < Self.maximumElements {
            let start = avio_seek(input, 0, SEEK_CUR)
            guard start >= 0, start < end, let id = readNumber(keepsMarker: true),
                let length = readNumber(keepsMarker: false)
            else { return }
            elementCount += 1
            let next = avio_seek(input, 0, SEEK_CUR) + length
            guard length < 1 << 32, next <= end else { return }
            let last = entries.count - 1
            switch id {
            case 0xB0: entries[last].width = readInteger(length)
            case 0xBA: entries[last].height = readInteger(length)
            case 0x54CC: entries[last].left = readInteger(length)
            case 0x54BB: entries[last].top = readInteger(length)
            case 0x54DD: entries[last].right = readInteger(length)
            case 0x54AA: entries[last].bottom = readInteger(length)
            case 0x54B0: entries[last].displayWidth = readInteger(length)
            case 0x54BA: entries[last].displayHeight = readInteger(length)
            case 0x54B2: entries[last].displayUnit = readInteger(length)
            case 0x7670 where depth == 0: readVideo(until: next, depth: 1)
            case 0x7671: entries[last].projection = readInteger(length)
            case 0x7675: entries[last].roll = readFloat(length)
            default: break
            }
            guard avio_seek(input, next, SEEK_SET) == next else { return }
        }
    }

    /// Reads a number of variable length (RFC 8794, section 4). Its length marker is kept, as in an
    /// element's ID, if `keepsMarker` is true.
    private func readNumber(keepsMarker: Bool) -> Int64? {
        let first = UInt8(truncatingIfNeeded: avio_r8(input))
        let count = first.leadingZeroBitCount + 1
        guard count <= (keepsMarker ? 4 : 8), avio_feof(input) == 0 else { return nil }
        var value = Int64(keepsMarker ? first : first & UInt8(truncatingIfNeeded: 0xFF >> count))
        for _ in 1..<count { value = value << 8 | Int64(avio_r8(input)) }
        return !keepsMarker && value == Int64(1) << (7 * count) - 1 ? Self.unknownLength : value
    }

    /// Reads an unsigned integer; returns 0 if it is too large for a size in pixels.
    private func readInteger(_ length: Int64) -> Int {
        guard length <= 8 else { return 0 }
        var value: UInt64 = 0
        for _ in 0..<length {
            value = value << 8 | UInt64(UInt8(truncatingIfNeeded: avio_r8(input)))
        }
        return value < 1 << 24 ? Int(value) : 0
    }

    private func readFloat(_ length: Int64) -> Double {
        switch length {
        case 4: Double(Float(bitPattern: avio_rb32(input)))
        case 8: Double(bitPattern: avio_rb64(input))
        default: 0
        }
    }
}

extension MatroskaVideo.Entry {
    /// The part that is not cropped; nil if nothing is cropped or nothing is left.
    var cleanAperture: FormatDescription.CleanAperture? {
        let (wide, high) = (width - left - right, height - top - bottom)
        guard wide > 0, high > 0, wide < width || high < height else { return nil }
        return .init(x: left, y: top, width: wide, height: high)
    }

    /// The pixel aspect ratio; nil if the file does not state it. It is computed from
    /// `DisplayWidth` and `DisplayHeight`, which refer to the part that is not cropped.
    var pixelAspectRatio: PixelBufferAttachments.PixelAspectRatio? {
        // The units are pixels, centimetres, inches, and an aspect ratio.
        guard let part = cleanAperture, displayUnit <= 3, displayWidth > 0, displayHeight > 0
        else { return nil }
        var (horizontal, vertical) = (displayWidth * part.height, displayHeight * part.width)
        var (divisor, rest) = (horizontal, vertical)
        while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
        horizontal /= divisor
        vertical /= divisor
        return .init(horizontal: horizontal, vertical: vertical)
    }

    /// The orientation for a rotation of flat frames by quarter turns; nil for any other rotation.
    var orientation: PictureOrientation? {
        guard projection == 0, roll != 0, abs(roll) <= 180 else { return nil }
        let turns = (-roll / 90).rounded()
        guard abs(turns * 90 + roll) < 1 else { return nil }
        return PictureOrientation(quarterTurns: (Int(turns) + 4) % 4, isMirrored: false)
    }
}
