// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// An open hardware device that decodes video of one codec.
///
/// - Concurrency: any thread; FFmpeg locks where necessary.
/// - Corresponds to: `AVHWDeviceContext`, `AVCodecHWConfig`.
final class HardwareDevice: @unchecked Sendable {
    // Unchecked: the object is constant, and its references are counted atomically.

    let acceleration: HardwareAcceleration
    /// The decoder that can use the hardware. It may differ from the software decoder.
    let codec: UnsafePointer<AVCodec>
    /// The pixel format of frames in the hardware's memory.
    let format: AVPixelFormat
    private let reference: UnsafeMutablePointer<AVBufferRef>

    private init(
        _ acceleration: HardwareAcceleration, codec: UnsafePointer<AVCodec>, format: AVPixelFormat,
        reference: UnsafeMutablePointer<AVBufferRef>
    ) {
        self.acceleration = acceleration
        self.codec = codec
        self.format = format
        self.reference = reference
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }

    /// Returns a reference for a decoder. The decoder must free it.
    func newReference() -> UnsafeMutablePointer<AVBufferRef>? { av_buffer_ref(reference) }

    /// The reason why hardware decoding is not available.
    struct Refusal: Error {
        var cause: String
    }

    /// Opens the requested hardware for a codec, or the first hardware that is available.
    static func open(
        _ wanted: HardwareAcceleration, for codec: AVCodecID
    ) throws(Refusal) -> HardwareDevice {
        let kinds = wanted == .auto ? [.vaapi, .cuda] : [wanted]
        var causes: [String] = []
        for kind in kinds {
            do {
                return try open(kind, codec)
            } catch {
                causes.append(error.cause)
            }
        }
        throw Refusal(cause: causes.joined(separator: ", and "))
    }

    private static func open(
        _ kind: HardwareAcceleration, _ codecID: AVCodecID
    ) throws(Refusal) -> HardwareDevice {
        let name = kind.displayName
        guard let type = kind.deviceType, let (codec, format) = decoder(of: codecID, on: type)
        else {
            throw Refusal(
                cause: "\(name) does not decode \(String(cString: avcodec_get_name(codecID)))")
        }
        var reference: UnsafeMutablePointer<AVBufferRef>?
        let result = av_hwdevice_ctx_create(&reference, type, nil, nil, 0)
        guard result >= 0, let reference else {
            throw Refusal(cause: "\(name) is not available (\(FFmpegError(result).text))")
        }
        return HardwareDevice(kind, codec: codec, format: format, reference: reference)
    }

    /// Returns FFmpeg's own decoder with hardware acceleration. Decoders that only wrap a driver's
    /// decoder (`h264_cuvid`) are skipped, because they behave differently.
    private static func decoder(
        of identifier: AVCodecID, on type: AVHWDeviceType
    ) -> (UnsafePointer<AVCodec>, AVPixelFormat)? {
        var position: UnsafeMutableRawPointer?
        while let codec = av_codec_iterate(&position) {
            guard codec.pointee.id == identifier, av_codec_is_decoder(codec) != 0,
                codec.pointee.capabilities & AV_CODEC_CAP_HARDWARE == 0
            else { continue }
            var index: Int32 = 0
            while let way = avcodec_get_hw_config(codec, index) {
                index += 1
                if Int(way.pointee.methods) & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX != 0,
                    way.pointee.device_type == type
                {
                    return (codec, way.pointee.pix_fmt)
                }
            }
        }
        return nil
    }
}

extension HardwareAcceleration {
    /// The name of the hardware for display.
    var displayName: String {
        switch self {
        case .none: "no hardware"
        case .auto: "hardware"
        case .vaapi: "VA-API"
        case .cuda: "NVDEC"
        }
    }

    fileprivate var deviceType: AVHWDeviceType? {
        switch self {
        case .vaapi: AV_HWDEVICE_TYPE_VAAPI
        case .cuda: AV_HWDEVICE_TYPE_CUDA
        case .none, .auto: nil
        }
    }
}
