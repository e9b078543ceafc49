// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// Access by index to the planes of a frame, which Swift imports as tuples.
enum FramePlanes {
    static func address(
        _ frame: UnsafeMutablePointer<AVFrame>, _ index: Int
    ) -> (start: UnsafeMutablePointer<UInt8>, bytesPerRow: Int)? {
        let (data, sizes) = (frame.pointee.data, frame.pointee.linesize)
        let pointers = [data.0, data.1, data.2, data.3]
        let strides = [sizes.0, sizes.1, sizes.2, sizes.3]
        guard pointers.indices.contains(index) else { return nil }
        return pointers[index].map { ($0, Int(strides[index])) }
    }

    static func set(
        _ frame: UnsafeMutablePointer<AVFrame>, _ index: Int,
        _ start: UnsafeMutablePointer<UInt8>, _ bytesPerRow: Int32
    ) {
        switch index {
        case 0: (frame.pointee.data.0, frame.pointee.linesize.0) = (start, bytesPerRow)
        case 1: (frame.pointee.data.1, frame.pointee.linesize.1) = (start, bytesPerRow)
        case 2: (frame.pointee.data.2, frame.pointee.linesize.2) = (start, bytesPerRow)
        default: (frame.pointee.data.3, frame.pointee.linesize.3) = (start, bytesPerRow)
        }
    }
}
