// SPDX-License-Identifier: Apache-2.0

/// The limits of keeping idle textures for the frames that follow: for a while, and no more of them
/// than the last frames had in use. Images of another size each time, such as a growing line of
/// subtitles, or all of them while a window is resized, would otherwise pile up.
enum IdleMemory {
    /// The number of frames after which an idle texture is released: two seconds at 60 Hz.
    static let idleFrames = 120
    /// The number of frames for which the GPU may still read a texture: writing to it then makes
    /// the driver wait or copy.
    static let framesInFlight = 2
    /// The memory that may be idle in any case, in bytes: a few frames of high definition video.
    static let leastBytes = 32 << 20

    /// Returns the oldest frame of last use with which an object is kept. Does not allocate.
    ///
    /// - Parameters:
    ///   - frame: the number of the frame that ends or begins.
    ///   - use: returns the frame of last use and the size in bytes, by index.
    static func oldestKept(
        frame: Int, count: Int, use: (Int) -> (frame: Int, bytes: Int)
    ) -> Int {
        var oldest = frame - idleFrames
        let newest = frame - framesInFlight
        var (busyBytes, idleBytes, first) = (0, 0, newest)
        for index in 0..<count {
            let (last, bytes) = use(index)
            if last > newest {
                busyBytes += bytes
            } else if last >= oldest {
                idleBytes += bytes
                first = min(first, last)
            }
        }
        // While there is too much, the least recently used are dropped.
        while idleBytes > max(leastBytes, 2 * busyBytes), first < newest {
            oldest = first + 1
            first = newest
            for index in 0..<count {
                let (last, bytes) = use(index)
                if last == oldest - 1 { idleBytes -= bytes }
                if last >= oldest, last < newest { first = min(first, last) }
            }
        }
        return oldest
    }
}
