// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers

/// The orientation of a still image in a file, and the part of the image that is shown. libavformat
/// reports neither, except for AVIF from version 7.1 on.
///
/// In JPEG, PNG, WebP and TIFF, the orientation is read from Exif. In AVIF and HEIF, Exif is only
/// informative, so the properties `irot`, `imir` and `clap` of the primary image are used (ISO/IEC
/// 23008-12, 6.5). Only local files are read. Malformed data ends the search.
///
/// - Concurrency: one thread at a time, which is the thread of the context. The position of the
///   context is restored.
/// - Corresponds to: the tag `Orientation` of Exif 2.32, 4.6.4; `CGImagePropertyOrientation`.
struct StillOrientation {
    private(set) var orientation = PictureOrientation.up
    private(set) var cleanAperture: FormatDescription.CleanAperture?

    private let input: UnsafeMutablePointer<AVIOContext>
    private let size: Int64

    /// The maximum number of segments, chunks, boxes, properties and tags that are read.
    private static let maximumCount = 4096

    /// Reads the file. Fails for other formats and for sources other than local files.
    init?(_ context: FormatContext) {
        let format = context.pointer.pointee
        let name = String(cString: format.iformat.pointee.name)
        guard let url = format.url, String(cString: url).hasPrefix("file:"),
            let input = format.pb, input.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
        else { return nil }
        self.input = input
        size = avio_size(input)
        let position = avio_seek(input, 0, SEEK_CUR)
        switch name {
        case "jpeg_pipe": orientation = exif(at: findInJPEG())
        case "png_pipe": orientation = exif(at: findInPNG())
        case "webp_pipe": orientation = exif(at: findInWebP())
        case "tiff_pipe": orientation = exif(at: 0)
        case _ where name.hasPrefix("mov,"): readProperties()
        default: return nil
        }
        _ = avio_seek(input, position, SEEK_SET)
    }

    // MARK: Exif

    /// Returns the offset of the TIFF data in the first `APP1` segment with Exif.
    private func findInJPEG() -> Int64? {
        var place: Int64 = 2
        for _ in 0..<Self.maximumCount {
            guard let header = bytes(at: place, count: 10), header[0] == 0xFF else { return nil }
            // There may be fill bytes before a marker. No segment follows the scan.
            if header[1] == 0xFF {
                place += 1
                continue
            }
            if header[1] == 0xDA || header[1] == 0xD9 { return nil }
            if header[1] == 0xE1, Array(header[4...]) == Self.exifMark { return place + 10 }
            place += 2 + Int64(header[2]) << 8 + Int64(header[3])
        }
        return nil
    }

    private static let exifMark = Array("Exif\0\0".utf8)

    private func findInPNG() -> Int64? {
        var place: Int64 = 8
        for _ in 0..<Self.maximumCount {
            guard let header = bytes(at: place, count: 8) else { return nil }
            let type = String(decoding: header[4...], as: UTF8.self)
            if type == "eXIf" { return place + 8 }
            place += 12 + Int64(Self.number(header[..<4]))
        }
        return nil
    }

    private func findInWebP() -> Int64? {
        var place: Int64 = 12
        for _ in 0..<Self.maximumCount {
            guard let header = bytes(at: place, count: 8) else { return nil }
            if String(decoding: header[..<4], as: UTF8.self) == "EXIF" {
                // Some writers copy the Exif mark of JPEG together with the data.
                let hasMark = bytes(at: place + 8, count: 6) == Self.exifMark
                return place + (hasMark ? 14 : 8)
            }
            let length = Int64(Self.number(header[4...].reversed()))
            place += 8 + length + length % 2
        }
        return nil
    }

    /// Reads the orientation in the first directory of TIFF data.
    private func exif(at start: Int64?) -> PictureOrientation {
        guard let start, let header = bytes(at: start, count: 8) else { return .up }
        let isLittle = header[0] == UInt8(ascii: "I")
        func number(_ bytes: ArraySlice<UInt8>) -> Int {
            Self.number(isLittle ? bytes.reversed() : Array(bytes))
        }
        let directory = start + Int64(number(header[4..<8]))
        guard number(header[2..<4]) == 42, let count = bytes(at: directory, count: 2) else {
            return .up
        }
        for index in 0..<min(number(count[...]), Self.maximumCount) {
            guard let entry = bytes(at: directory + 2 + 12 * Int64(index), count: 12) else {
                return .up
            }
            if number(entry[0..<2]) == 0x0112 {
                return PictureOrientation(exif: number(entry[8..<10])) ?? .up
            }
        }
        return .up
    }

    // MARK: HEIF

    /// Reads the properties of the primary image, in the order in which they are associated with
    /// the image.
    private mutating func readProperties() {
        guard let file = children(of: 0..<size).first(where: { $0.type == "ftyp" }),
            let brand = bytes(at: file.body.lowerBound, count: 4),
            AssetDescription.imageBrands.contains(String(decoding: brand, as: UTF8.self)),
            let meta = children(of: 0..<size).first(where: { $0.type == "meta" })
        else { return }
        // A full box begins with a version and flags.
        let parts = children(
            of: meta.body.lowerBound + 4..<max(meta.body.lowerBound + 4, meta.body.upperBound))
        guard let properties = parts.first(where: { $0.type == "iprp" }),
            let item = parts.first(where: { $0.type == "pitm" }), let primary = identifier(in: item)
        else { return }
        let inner = children(of: properties.body)
        guard let container = inner.first(where: { $0.type == "ipco" }) else { return }
        let all = children(of: container.body)
        var indices: [Int] = []
        for box in inner where box.type == "ipma" && indices.isEmpty {
            indices = associations(in: box, of: primary) ?? []
        }
        var frame = (width: 0, height: 0)
        for index in indices where all.indices.contains(index - 1) {
            let property = all[index - 1]
            switch property.type {
            case "ispe":
                guard let bytes = bytes(at: property.body.lowerBound, count: 12) else { return }
                frame = (Self.number(bytes[4..<8]), Self.number(bytes[8..<12]))
            case "clap":
                cleanAperture = MovieBoxes.aperture(
                    in: input, at: property.body.lowerBound, width: frame.width,
                    height: frame.height)
            case "irot":
                guard let bytes = bytes(at: property.body.lowerBound, count: 1) else { return }
                // The values are quarter turns anticlockwise.
                orientation = PictureOrientation(
                    quarterTurns: orientation.quarterTurns - Int(bytes[0] & 3),
                    isMirrored: orientation.isMirrored)
            case "imir":
                guard let bytes = bytes(at: property.body.lowerBound, count: 1) else { return }
                // 0 exchanges top and bottom; 1 exchanges left and right. Mirroring after a
                // rotation equals mirroring before the reverse rotation.
                orientation = PictureOrientation(
                    quarterTurns: (bytes[0] & 1 == 0 ? 2 : 0) - orientation.quarterTurns,
                    isMirrored: !orientation.isMirrored)
            default: break
            }
        }
    }

    private struct Box {
        let type: String
        let body: Range<Int64>
    }

    private func children(of range: Range<Int64>) -> [Box] {
        var boxes: [Box] = []
        var place = range.lowerBound
        while boxes.count < Self.maximumCount, place + 8 <= range.upperBound,
            let header = bytes(at: place, count: 8)
        {
            var length = Int64(Self.number(header[..<4]))
            var body = place + 8
            if length == 1, let long = bytes(at: body, count: 8) {
                length = Int64(truncatingIfNeeded: Self.number(long[...]))
                body += 8
            } else if length == 0 {
                length = range.upperBound - place
            }
            guard length >= body - place, length <= range.upperBound - place else { break }
            boxes.append(
                Box(
                    type: String(decoding: header[4...], as: UTF8.self), body: body..<place + length
                ))
            place += length
        }
        return boxes
    }

    /// Returns the identifier in a `pitm` box.
    private func identifier(in box: Box) -> Int? {
        guard let version = bytes(at: box.body.lowerBound, count: 1)?.first else { return nil }
        return bytes(at: box.body.lowerBound + 4, count: version == 0 ? 2 : 4).map {
            Self.number($0[...])
        }
    }

    /// Returns the indices, from 1, of an item's properties in an `ipma` box. Returns nil if the
    /// box does not contain the item (ISO/IEC 23008-12, 9.3.2).
    private func associations(in box: Box, of item: Int) -> [Int]? {
        guard box.body.count < 1 << 16,
            let all = bytes(at: box.body.lowerBound, count: box.body.count), all.count >= 8
        else { return nil }
        let idSize = all[0] == 0 ? 2 : 4
        let indexSize = all[3] & 1 == 0 ? 1 : 2
        var rest = all[8...]
        for _ in 0..<min(Self.number(all[4..<8]), Self.maximumCount) {
            guard rest.count > idSize else { return nil }
            let id = Self.number(rest.prefix(idSize))
            let count = Int(rest.dropFirst(idSize).first ?? 0)
            rest = rest.dropFirst(idSize + 1)
            guard rest.count >= count * indexSize else { return nil }
            if id == item {
                return (0..<count).map {
                    let bytes = rest.dropFirst($0 * indexSize).prefix(indexSize)
                    // The highest bit marks an essential property.
                    return Self.number(bytes) & (indexSize == 1 ? 0x7F : 0x7FFF)
                }
            }
            rest = rest.dropFirst(count * indexSize)
        }
        return nil
    }

    // MARK: Bytes

    private func bytes(at place: Int64, count: Int) -> [UInt8]? {
        guard place >= 0, place <= size - Int64(count), avio_seek(input, place, SEEK_SET) == place
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return avio_read(input, &bytes, Int32(count)) == Int32(count) ? bytes : nil
    }

    /// Returns the number that the bytes represent, with the highest byte first.
    private static func number(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

extension PictureOrientation {
    /// Creates the orientation for a value of Exif's tag, from 1 to 8. Fails for other values.
    ///
    /// - Corresponds to: `CGImagePropertyOrientation(rawValue:)`.
    init?(exif value: Int) {
        let orientations: [(turns: Int, isMirrored: Bool)] = [
            (0, false), (0, true), (2, false), (2, true), (3, true), (1, false), (1, true),
            (3, false),
        ]
        guard orientations.indices.contains(value - 1) else { return nil }
        self.init(
            quarterTurns: orientations[value - 1].turns,
            isMirrored: orientations[value - 1].isMirrored)
    }
}
