// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadTime

/// The frames of the strip. They are decoded one at a time by a decoder of low priority, and
/// cached.
///
/// - Concurrency: the main thread; frames are decoded on the generators' own threads.
@MainActor final class TrimThumbnails {
    /// The maximum number of cached frames, unless more of them are shown.
    private static let capacity = 256
    /// The time between two thumbnails from which on keyframes are precise enough.
    private static let coarse = MediaTime(value: 10, timescale: 1)

    private let keyframes: ImageGenerator
    private let exact: ImageGenerator
    private var pictures: [MediaTime: PixelBuffer] = [:]
    /// The times of the cached frames, the most recently decoded last.
    private var order: [MediaTime] = []
    private var failures: Set<MediaTime> = []
    private var wanted: [MediaTime] = []
    /// The times of the frames that are shown. These frames stay in the cache.
    private var shown: Set<MediaTime> = []
    private var interval = MediaTime.zero
    private var task: Task<Void, Never>?
    /// The handler that is called when a frame is ready.
    var changeHandler: @MainActor () -> Void = {}

    /// Creates the thumbnails of an asset.
    ///
    /// - Parameter size: The maximum width and height, in pixels.
    init(asset: Asset, size: (width: Int, height: Int)) {
        func generator(_ tolerance: MediaTime) -> ImageGenerator {
            var options = ImageGenerator.Options(
                maximumSize: size, requestedTimeToleranceBefore: tolerance)
            options.yieldsToOthers = true
            return ImageGenerator(asset: asset, options: options)
        }
        keyframes = generator(.positiveInfinity)
        exact = generator(.zero)
    }

    deinit { task?.cancel() }

    /// Returns the frames at some times, as far as they have been decoded, and requests the others.
    ///
    /// - Parameter interval: The time between two frames.
    func pictures(at times: [MediaTime], interval: MediaTime) -> [PixelBuffer?] {
        self.interval = interval
        shown = Set(times)
        wanted = times.filter { pictures[$0] == nil && !failures.contains($0) }
        work()
        return times.map { pictures[$0] }
    }

    private func work() {
        guard task == nil, let time = wanted.first else { return }
        let generator = interval >= Self.coarse ? keyframes : exact
        task = Task(priority: .utility) { [weak self] in
            let image = try? await generator.image(at: time)
            self?.finish(time, image?.image)
        }
    }

    private func finish(_ time: MediaTime, _ image: RGBAImage?) {
        task = nil
        wanted.removeAll { $0 == time }
        if let image {
            pictures[time] = PixelBuffer(image)
            order.append(time)
            while order.count > Self.capacity,
                let oldest = order.firstIndex(where: { !shown.contains($0) })
            {
                pictures[order.remove(at: oldest)] = nil
            }
            changeHandler()
        } else {
            failures.insert(time)
        }
        work()
    }
}
