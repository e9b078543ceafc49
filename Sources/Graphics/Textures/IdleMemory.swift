// SPDX-License-Identifier: Apache-2.0

/// How long textures that nobody asks for are kept for the pictures that follow: for a while, and no more of
/// them than the last frames had in use. Pictures that are of another size each time, such as a line of
/// subtitles that grows, or all of them while a window is resized, would else pile up.
enum IdleMemory {
    /// Frames after which what nobody asked for is given up: two seconds at 60 Hz.
    static let idleFrames = 120
    /// Frames for which the GPU may still read a texture: writing into one that it reads makes the driver
    /// wait or copy.
    static let framesInFlight = 2
    /// What may lie idle in any case, in bytes: a few pictures of a film of high definition.
    static let leastBytes = 32 << 20

    /// The frame since which something has to have been used to be kept. Does not allocate.
    ///
    /// - Parameters:
    ///   - frame: the number of the frame that ends or begins.
    ///   - use: when each was used last, and the bytes that it takes.
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
        // As long as there is too much, those go that have not been used for longest.
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
