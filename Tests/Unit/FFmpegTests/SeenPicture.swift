// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadTime

/// What tells two pictures apart: when they are shown, and every sample that is.
struct SeenPicture: Equatable {
    var time: MediaTime
    var pixels: Int

    init(_ frame: VideoFrame) {
        time = frame.presentationTime
        let buffer = frame.pixelBuffer
        var hasher = Hasher()
        hasher.combine(buffer.width)
        hasher.combine(buffer.height)
        hasher.combine(buffer.format)
        for (index, plane) in buffer.planes.enumerated() {
            let step =
                buffer.format.components.filter { $0.plane == index }.map(\.step).min() ?? 1
            for row in 0..<plane.height {
                hasher.combine(
                    bytes: UnsafeRawBufferPointer(
                        start: plane.baseAddress + row * plane.bytesPerRow,
                        count: plane.width * step))
            }
        }
        pixels = hasher.finalize()
    }
}
