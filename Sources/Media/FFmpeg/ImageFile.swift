// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
public import PlayheadAssets
public import PlayheadBuffers

/// Functions that read and write still images in files.
///
/// - Concurrency: any thread. Calls block on the disk.
public enum ImageFile {
    /// Reads an image in any format that FFmpeg decodes: PNG, JPEG, WebP, TIFF, AVIF, BMP, GIF
    /// (only the first frame) and dozens more. The pixel buffer has the file's own pixel format.
    public static func read(_ path: String) throws(MediaError) -> PixelBuffer {
        try read(path, limits: MediaLimits())
    }

    /// Reads an image with the given limits.
    package static func read(
        _ path: String, limits: MediaLimits
    ) throws(MediaError) -> PixelBuffer {
        let opener = FFmpegOpener(path: path, options: AssetOptions(limits: limits))
        let asset = URLAsset(location: .file(path: path), opener: opener)
        let pictures = try AssetReader(asset: asset).addVideoOutput()
        guard let frame = try pictures.copyNextSampleBuffer() else {
            throw MediaError(
                .damaged, subject: path, cause: "it contains no image that can be decoded",
                remedy: "copy or download it again")
        }
        return frame.pixelBuffer
    }

    /// Writes an image as PNG, tagged as sRGB.
    ///
    /// - Parameters:
    ///   - pixels: R, G, B and straight alpha with 8 bits each, in rows from top to bottom.
    ///   - bytesPerRow: The distance between rows, in bytes; `width * 4` if nil.
    ///   - path: The path of the file. An existing file is replaced once the new file is complete.
    /// - Throws: `cannotOpen` if the file cannot be written, with the reason.
    /// - Precondition: `pixels` contains all rows.
    public static func writePNG(
        _ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bytesPerRow: Int? = nil,
        to path: String
    ) throws(MediaError) {
        let bytesPerRow = bytesPerRow ?? width * 4
        precondition(width > 0 && height > 0, "an image of \(width) x \(height) pixels is empty")
        precondition(
            bytesPerRow >= width * 4 && pixels.count >= bytesPerRow * (height - 1) + width * 4,
            "\(pixels.count) bytes are not \(width) x \(height) pixels of RGBA")
        let encoded = try encodePNG(
            pixels, width: width, height: height, bytesPerRow: bytesPerRow, path: path)
        try write(
            UnsafeRawBufferPointer(
                start: encoded.pointer.pointee.data, count: Int(encoded.pointer.pointee.size)),
            to: path)
    }

    /// Writes an image as PNG, from an array of R, G, B and straight alpha.
    public static func writePNG(
        _ pixels: [UInt8], width: Int, height: Int, to path: String
    ) throws(MediaError) {
        let result = pixels.withUnsafeBytes { bytes -> Result<Void, MediaError> in
            do throws(MediaError) {
                try writePNG(bytes, width: width, height: height, to: path)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes an image as PNG.
    public static func writePNG(_ image: RGBAImage, to path: String) throws(MediaError) {
        try writePNG(image.bytes, width: image.width, height: image.height, to: path)
    }

    /// Returns an image encoded as PNG.
    package static func png(_ image: RGBAImage) throws(MediaError) -> [UInt8] {
        let result = image.bytes.withUnsafeBytes { bytes -> Result<[UInt8], MediaError> in
            do throws(MediaError) {
                let encoded = try encodePNG(
                    bytes, width: image.width, height: image.height, bytesPerRow: image.width * 4,
                    path: "picture")
                return .success(
                    [UInt8](
                        UnsafeRawBufferPointer(
                            start: encoded.pointer.pointee.data,
                            count: Int(encoded.pointer.pointee.size))))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    // MARK: - Encoding

    private static func encodePNG(
        _ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bytesPerRow: Int, path: String
    ) throws(MediaError) -> PacketBox {
        FFmpegLog.silence()
        func failure(_ code: Int32) -> MediaError {
            MediaError(
                .outOfResources, subject: path,
                cause: "the image cannot be encoded as PNG (\(FFmpegError(code).text))",
                remedy: "check that FFmpeg has its PNG encoder, and that memory is free")
        }
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG),
            let frame = FrameBox(), let packet = PacketBox()
        else { throw failure(ph_AVERROR(ENOSYS)) }
        var context = avcodec_alloc_context3(codec)
        defer { avcodec_free_context(&context) }
        guard let context else { throw failure(ph_AVERROR(ENOMEM)) }
        context.pointee.width = Int32(clamping: width)
        context.pointee.height = Int32(clamping: height)
        context.pointee.pix_fmt = AV_PIX_FMT_RGBA
        context.pointee.time_base = AVRational(num: 1, den: 1)
        let values = frame.pointer
        values.pointee.width = context.pointee.width
        values.pointee.height = context.pointee.height
        values.pointee.format = AV_PIX_FMT_RGBA.rawValue
        values.pointee.color_primaries = AVCOL_PRI_BT709
        values.pointee.color_trc = AVCOL_TRC_IEC61966_2_1

        var result = avcodec_open2(context, codec, nil)
        if result >= 0 { result = av_frame_get_buffer(values, 0) }
        guard result >= 0, let target = values.pointee.data.0 else { throw failure(result) }
        for row in 0..<height {
            memcpy(
                target + row * Int(values.pointee.linesize.0),
                pixels.baseAddress! + row * bytesPerRow, width * 4)
        }
        result = avcodec_send_frame(context, values)
        if result >= 0 { result = avcodec_send_frame(context, nil) }
        if result >= 0 { result = avcodec_receive_packet(context, packet.pointer) }
        guard result >= 0 else { throw failure(result) }
        return packet
    }

    /// Writes a file completely or not at all: if the disk is full, the old file stays. Some files
    /// are not replaced but written directly: devices, pipes, and files in folders where no other
    /// file can be created.
    private static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String
    ) throws(MediaError) {
        var status = stat()
        let isFile = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        guard isFile, let part = try? PartialFile(of: path) else {
            return try fill(path, with: bytes, for: path)
        }
        try fill(part.path, with: bytes, for: path)
        guard part.finish() else { throw unwritable(path, errno) }
    }

    private static func unwritable(_ path: String, _ code: Int32) -> MediaError {
        MediaError(
            .cannotOpen, subject: path,
            cause: "it cannot be written (\(FFmpegError(ph_AVERROR(code)).text))",
            remedy: "check that the folder exists and is writable, and that the disk has space")
    }

    /// Writes bytes to a path.
    ///
    /// - Parameter subject: The name of the file for error messages.
    private static func fill(
        _ path: String, with bytes: UnsafeRawBufferPointer, for subject: String
    ) throws(MediaError) {
        func failure(_ code: Int32) -> MediaError { unwritable(subject, code) }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure(errno) }
        var written = 0
        while written < bytes.count {
            let count = Glibc.write(file, bytes.baseAddress! + written, bytes.count - written)
            if count < 0 {
                let error = errno
                if error == EINTR { continue }
                close(file)
                throw failure(error)
            }
            written += count
        }
        // Some file systems report a full disk only at this point.
        guard close(file) == 0 else { throw failure(errno) }
    }
}
