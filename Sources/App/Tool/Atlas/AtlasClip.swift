// SPDX-License-Identifier: Apache-2.0

import PlayheadAtlas
import PlayheadUI

/// Draws frames at the size of a tile.
///
/// - Concurrency: the thread that created it.
final class AtlasTilePainter {
    private let context: HeadlessContext
    private let renderer: VideoRenderer
    private let framebuffer: GLFramebuffer

    init(width: Int, height: Int) throws {
        context = try HeadlessContext()
        renderer = VideoRenderer(context: context)
        framebuffer = try GLFramebuffer(width: width, height: height, context: context)
    }

    deinit { context.clearCurrent() }

    /// Returns the frame, scaled to fill the tile.
    func image(of picture: PixelBuffer) throws -> RGBAImage {
        var layer = Layer(.image(picture), gravity: .resizeAspectFill)
        layer.minificationFilter = .mitchell
        layer.magnificationFilter = .bicubic
        let report = renderer.render(
            Scene(background: .color([0, 0, 0, 1]), layers: [layer]), hostTime: .zero,
            into: RenderTarget(framebuffer))
        try report.requireWhole()
        return framebuffer.image()
    }
}

/// The frames of a video at a constant rate, drawn as tiles and identified by number.
///
/// - Concurrency: one thread.
final class AtlasClip {
    private let reader: AssetReader
    private let pictures: AssetReaderTrackOutput<VideoFrame>
    private let painter: AtlasTilePainter
    private let rate: Double
    private var current: VideoFrame?
    private var following: VideoFrame?
    private var start = MediaTime.zero
    private var last: (number: Int, picture: UInt64, image: RGBAImage)?

    init(_ file: String, rate: Double, painter: AtlasTilePainter) throws {
        reader = try AssetReader(asset: InputFile.asset(file))
        pictures = try reader.addVideoOutput()
        self.rate = rate
        self.painter = painter
    }

    /// Returns the frame at `number / rate` seconds, or nil after the end. If the number is lower
    /// than the previous one, the video is read from the start again.
    func image(at number: Int) throws -> RGBAImage? {
        if let last {
            if last.number == number { return last.image }
            if number < last.number {
                reader.restart(timeRange: nil)
                (current, following) = (nil, nil)
            }
        }
        if current == nil {
            current = try pictures.copyNextSampleBuffer()
            following = try pictures.copyNextSampleBuffer()
            start = current?.presentationTime ?? .zero
        }
        let time = start + MediaTime(seconds: Double(number) / rate) + VideoFrame.timeTolerance
        while let next = following, next.presentationTime <= time {
            current = next
            following = try pictures.copyNextSampleBuffer()
        }
        guard let frame = current else { return nil }
        if following == nil, number > 0 {
            let length =
                frame.duration.isNumeric && frame.duration.value > 0
                ? frame.duration : MediaTime(seconds: 1 / rate)
            if time >= frame.presentationTime + length + VideoFrame.timeTolerance { return nil }
        }
        let identifier = frame.pixelBuffer.identifier
        let image =
            last?.picture == identifier ? last?.image : try painter.image(of: frame.pixelBuffer)
        guard let image else { return nil }
        last = (number, identifier, image)
        return image
    }
}

/// The frames of a loop.
final class AtlasLoop {
    private let loop: LoopPoint
    private let main: AtlasClip
    /// The reader of the frames into which the end of the loop dissolves.
    private let other: AtlasClip?
    /// The last frame, which is repeated if a video ends early.
    private var image: RGBAImage?

    /// Creates the frames of a loop or of a still.
    ///
    /// - Parameter loop: the range of the loop; nil for a still.
    init(_ loop: LoopPoint?, main: AtlasClip, other: AtlasClip?) {
        self.loop = loop ?? LoopPoint(start: 0, length: 1, seam: 0, step: 0)
        self.main = main
        self.other = other
    }

    func image(at index: Int) throws -> RGBAImage {
        let source = loop.source(of: index)
        var image = try main.image(at: source.frame)
        if source.share > 0, let first = image, let second = try other?.image(at: source.other) {
            image = first.dissolved(into: second, by: source.share)
        }
        if let image { self.image = image }
        guard let shown = self.image else {
            throw ToolError(
                .mediaFailure, "an input video has no frames; remove it from the command")
        }
        return shown
    }
}
