// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// The rules by which a file of images is a video, such as Motion JPEG without a container.
enum ImageSeries {
    private static let jpegStart: [UInt8] = [0xFF, 0xD8]
    private static let jpegEnd: [UInt8] = [0xFF, 0xD9]

    /// Returns whether an image is the next frame after another one.
    ///
    /// It is not if other data lies between them, which ends the packet of the first one, or if the
    /// first one declares further images of its own, such as a gain map.
    static func continues(_ first: PacketBox, with second: PacketBox) -> Bool {
        let (first, second) = (bytes(of: first), bytes(of: second))
        guard first.count > jpegStart.count, first.starts(with: second.prefix(jpegStart.count))
        else { return false }
        guard first.starts(with: jpegStart) else { return true }
        let end = first.lastIndex { $0 != 0 } ?? 0
        return first[...end].suffix(jpegEnd.count).elementsEqual(jpegEnd)
            && !declaresFurtherImages(first)
    }

    private static func bytes(of box: PacketBox) -> UnsafeRawBufferPointer {
        let values = box.pointer.pointee
        return UnsafeRawBufferPointer(start: values.data, count: Int(values.size))
    }

    /// Returns whether a JPEG image has an index of further images: an APP2 segment that begins
    /// with `MPF` (CIPA DC-007, 5.2.1).
    private static func declaresFurtherImages(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = jpegStart.count
        // Segments consist of a marker, a length that includes itself, and data (ITU-T T.81,
        // B.1.1.4). SOS, 0xDA, begins the samples.
        while index + 8 <= bytes.count, bytes[index] == 0xFF, bytes[index + 1] != 0xDA {
            if bytes[index + 1] == 0xE2, bytes[(index + 4)...].starts(with: "MPF\0".utf8) {
                return true
            }
            index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
        }
        return false
    }
}
