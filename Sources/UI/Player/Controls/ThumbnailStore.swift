// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadTime

/// The thumbnails of a video along its timeline, for the scrubber. They are requested as the
/// pointer moves, made one at a time by a decoder of their own, and kept.
///
/// Thumbnails are keyframes, which cost the least. While one is made, only the latest request is
/// kept. Videos on a network have none, since thumbnails would take bandwidth from playback.
///
/// - Concurrency: the main thread; pictures are made on the generator's own.
@MainActor final class ThumbnailStore {
    /// The number of places along a video: about one for two pixels of a usual scrubber.
    private static let count = 240
    /// The number of thumbnails that are kept: 8 MB of the usual size.
    private static let capacity = 128

    private let generator: ImageGenerator
    private let duration: MediaTime
    private var pictures: [Int: PixelBuffer] = [:]
    /// The places, in the order in which they were requested last.
    private var uses: [Int] = []
    private var failures: Set<Int> = []
    private var wanted: Int?
    private var isWorking = false
    private var task: Task<Void, Never>?
    /// The handler that is called when a thumbnail is ready.
    var changeHandler: @MainActor () -> Void = {}

    /// - Parameter size: the size that thumbnails fit into, in pixels.
    init(asset: Asset, duration: MediaTime, size: (width: Int, height: Int)) {
        var options = ImageGenerator.Options(maximumSize: size)
        options.yieldsToOthers = true
        generator = ImageGenerator(asset: asset, options: options)
        self.duration = duration
    }

    deinit { task?.cancel() }

    /// Returns the thumbnail at a place from 0 to 1, or the nearest one that exists, if that is not
    /// far. If there is none, it is requested.
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
        // A neighbour is better than none while the pointer moves.
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
    /// Creates a buffer of full range, as image files and generators have it.
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
