// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadTime

/// An adaptor that creates frames for a video input in memory that is reused.
///
///     let adaptor = AssetWriterInputPixelBufferAdaptor(input)
///     try await adaptor.append(at: time) { plane, bytes, bytesPerRow in … }
///
/// - Concurrency: any thread.
/// - Ownership: the adaptor retains the input. The memory of a frame returns to the pool when the
///   encoder no longer uses it.
/// - Corresponds to: `AVAssetWriterInputPixelBufferAdaptor`.
public final class AssetWriterInputPixelBufferAdaptor: Sendable {
    /// The input to which frames are appended.
    public let input: AssetWriterInput
    /// The pool that provides the memory of the frames.
    public let pixelBufferPool: any PixelBufferPool
    private let settings: VideoOutputSettings

    /// Creates an adaptor. Fails if the input does not encode frames.
    public init?(_ input: AssetWriterInput) {
        guard case .video(let settings) = input.kind else { return nil }
        self.input = input
        self.settings = settings
        pixelBufferPool = PlainPixelBufferPool(byteLimit: WriterCore.maximumFrameBytes)
    }

    /// Creates a frame with the size and sample format of the settings, and calls `fill` to write
    /// its planes.
    public func makePixelBuffer(
        fill: (_ plane: Int, _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> Void
    ) -> PixelBuffer {
        PixelBuffer(
            format: settings.encoderPixelFormat, width: settings.width, height: settings.height,
            attachments: PixelBufferAttachments(color: settings.declaredColor),
            pool: pixelBufferPool, fill: fill)
    }

    /// Creates a frame and appends it. Suspends while the input is not ready.
    public func append(
        at time: MediaTime,
        fill: (_ plane: Int, _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) -> Void
    ) async throws(MediaWritingError) {
        try await input.append(makePixelBuffer(fill: fill), at: time)
    }
}
