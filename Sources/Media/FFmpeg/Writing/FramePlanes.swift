// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

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

    /// Copies planar 4:2:0 into the two planes of NV12 or P010. P010 has its 10 bits at the top of
    /// each sample.
    static func interleave(_ buffer: PixelBuffer, into frame: UnsafeMutablePointer<AVFrame>) -> Bool
    {
        let planes = buffer.planes
        guard planes.count == 3, let luma = address(frame, 0), let chroma = address(frame, 1) else {
            return false
        }
        let isDeep = frame.pointee.format == AV_PIX_FMT_P010LE.rawValue
        for y in 0..<planes[0].height {
            let source = planes[0].baseAddress + y * planes[0].bytesPerRow
            let target = UnsafeMutableRawPointer(luma.start + y * luma.bytesPerRow)
            guard isDeep else {
                target.copyMemory(from: source, byteCount: planes[0].width)
                continue
            }
            let (codes, samples) = (
                source.assumingMemoryBound(to: UInt16.self),
                target.assumingMemoryBound(to: UInt16.self)
            )
            for x in 0..<planes[0].width { samples[x] = codes[x] << 6 }
        }
        for y in 0..<planes[1].height {
            let target = UnsafeMutableRawPointer(chroma.start + y * chroma.bytesPerRow)
            for (index, plane) in planes[1...2].enumerated() {
                let source = plane.baseAddress + y * plane.bytesPerRow
                if isDeep {
                    let (codes, samples) = (
                        source.assumingMemoryBound(to: UInt16.self),
                        target.assumingMemoryBound(to: UInt16.self)
                    )
                    for x in 0..<plane.width { samples[2 * x + index] = codes[x] << 6 }
                } else {
                    let (codes, samples) = (
                        source.assumingMemoryBound(to: UInt8.self),
                        target.assumingMemoryBound(to: UInt8.self)
                    )
                    for x in 0..<plane.width { samples[2 * x + index] = codes[x] }
                }
            }
        }
        return true
    }
}
