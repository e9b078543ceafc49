// SPDX-License-Identifier: Apache-2.0

/// The limits for keeping idle textures for later frames: for a while, and with no more memory than
/// the last frames used. Without them, textures would accumulate if each image has a new size, as
/// for a growing line of subtitles or while a window is resized.
enum IdleMemory {
    /// The number of frames after which an idle texture is released: two seconds at 60 Hz.
    static let idleFrames = 120
    /// The number of frames for which the GPU may still read a texture. If the texture were written
    /// in this time, the driver would wait or copy.
    static let framesInFlight = 2
    /// The idle memory that is always allowed, in bytes: a few frames of high definition video.
    static let leastBytes = 32 << 20

    /// Returns the number of a frame. Objects that were last used before that frame are released.
    /// Does not allocate.
    ///
    /// - Parameters:
    ///   - frame: the number of the frame that ends or begins.
    ///   - use: returns, for the index of an object, the frame that used it last and its size in
    ///     bytes.
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
        // The least recently used objects are dropped until the rest is within the limit.
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
