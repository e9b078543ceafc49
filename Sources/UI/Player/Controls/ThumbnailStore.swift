// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadTime

/// The thumbnails of a video, for the scrubber. They are requested as the pointer moves, decoded
/// one at a time by a separate decoder, and cached.
///
/// Thumbnails are keyframes, which are the fastest frames to decode. While a thumbnail is decoded,
/// only the latest request waits. Videos on a network have no thumbnails, because loading them
/// would take bandwidth from playback.
///
/// - Concurrency: the main thread; images are decoded on the generator's own thread.
@MainActor final class ThumbnailStore {
    /// The number of positions along the timeline that can have a thumbnail: about one for every
    /// two pixels of a scrubber of the usual size.
    private static let count = 240
    /// The maximum number of cached thumbnails: 8 MB at the usual size.
    private static let capacity = 128

    private let generator: ImageGenerator
    private let duration: MediaTime
    private var pictures: [Int: PixelBuffer] = [:]
    /// The positions of the cached thumbnails, in order of their last request.
    private var uses: [Int] = []
    private var failures: Set<Int> = []
    private var wanted: Int?
    private var isWorking = false
    private var task: Task<Void, Never>?
    /// The handler that is called when a thumbnail is ready.
    var changeHandler: @MainActor () -> Void = {}

    /// Creates the store of an asset.
    ///
    /// - Parameter size: The maximum width and height of a thumbnail, in pixels.
    init(asset: Asset, duration: MediaTime, size: (width: Int, height: Int)) {
        var options = ImageGenerator.Options(maximumSize: size)
        options.yieldsToOthers = true
        generator = ImageGenerator(asset: asset, options: options)
        self.duration = duration
    }

    deinit { task?.cancel() }

    /// Returns the thumbnail at a position from 0 to 1, or the nearest cached one if it is close
    /// enough. If the exact one is not cached, it is requested.
    func picture(at fraction: Double) -> PixelBuffer? {
        let place = Int((min(max(fraction, 0), 1) * Double(Self.count - 1)).rounded())
        if let picture = pictures[place] {
            uses.removeAll { $0 == place }
            uses.append(place)
            return picture
        }
        if !failures.contains(place) {
            wanted = place
            work()
        }
        // While the pointer moves, a thumbnail of a nearby position is better than none.
        return (1...4).lazy.compactMap { [pictures] in
            pictures[place - $0] ?? pictures[place + $0]
        }.first
    }

    private func work() {
        guard !isWorking, let place = wanted else { return }
        isWorking = true
        wanted = nil
        let time = duration * (Double(place) / Double(Self.count - 1))
        let generator = generator
        task = Task(priority: .utility) { [weak self] in
            let image = try? await generator.image(at: time)
            self?.finish(place, image?.image)
        }
    }

    private func finish(_ place: Int, _ image: RGBAImage?) {
        isWorking = false
        if let image {
            pictures[place] = PixelBuffer(image)
            uses.append(place)
            if uses.count > Self.capacity { pictures[uses.removeFirst()] = nil }
            changeHandler()
        } else {
            failures.insert(place)
        }
        work()
    }
}

extension PixelBuffer {
    /// Creates a full-range buffer from an image, for image files and image generators.
    convenience init(_ image: RGBAImage) {
        let attachments = PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
        self.init(
            format: .rgba, width: image.width, height: image.height, attachments: attachments
        ) { _, bytes, bytesPerRow in
            let rowLength = image.width * 4
            image.bytes.withUnsafeBytes { source in
                for row in 0..<image.height {
                    UnsafeMutableRawBufferPointer(rebasing: bytes[(row * bytesPerRow)...])
                        .copyBytes(from: source[row * rowLength..<(row + 1) * rowLength])
                }
            }
        }
    }
}
