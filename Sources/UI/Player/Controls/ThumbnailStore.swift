// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadTime

/// Small pictures of a film along its timeline, for the scrubber: asked for as the pointer moves,
/// made one at a time by a decoder of their own, and kept.
///
/// Pictures are those of keyframes, which cost the least; while one is made, only the newest wish is
/// remembered. Films on a network get none: they would take from what the film itself needs.
///
/// - Concurrency: the main thread; pictures are made on the generator's own.
@MainActor final class ThumbnailStore {
    /// Along a film; more than there are pixels between any two places of a usual scrubber.
    private static let count = 240
    /// How many are kept: 8 MB of the usual size.
    private static let capacity = 128

    private let generator: ImageGenerator
    private let duration: MediaTime
    private var pictures: [Int: PixelBuffer] = [:]
    /// Places, the last asked for at the end.
    private var uses: [Int] = []
    private var failures: Set<Int> = []
    private var wanted: Int?
    private var isWorking = false
    private var task: Task<Void, Never>?
    /// Called when a picture has come.
    var changeHandler: @MainActor () -> Void = {}

    /// - Parameter size: that pictures are made to fit into, in pixels.
    init(asset: Asset, duration: MediaTime, size: (width: Int, height: Int)) {
        var options = ImageGenerator.Options(maximumSize: size)
        options.yieldsToOthers = true
        generator = ImageGenerator(asset: asset, options: options)
        self.duration = duration
    }

    deinit { task?.cancel() }

    /// The picture at a place from 0 to 1, or else the nearest that there is already, if that is not
    /// far; has it made if there is none.
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
        // Better than none while the pointer moves on.
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
    /// A picture of full range, as image files and generators have it.
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
