// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// Hardware that decodes a codec, opened.
///
/// - Concurrency: any thread; FFmpeg locks what has to be.
/// - Corresponds to: `AVHWDeviceContext`, `AVCodecHWConfig`.
final class HardwareDevice: @unchecked Sendable {
    // Unchecked: constant, and references are counted atomically.

    let acceleration: HardwareAcceleration
    /// The decoder that can use it, which need not be the one that the processor would use.
    let codec: UnsafePointer<AVCodec>
    /// Stands for pictures that lie with the hardware.
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

    /// For a decoder, which has to free it.
    func newReference() -> UnsafeMutablePointer<AVBufferRef>? { av_buffer_ref(reference) }

    /// Why there is none.
    struct Refusal: Error {
        var cause: String
    }

    /// Opens the hardware that was asked for, or the first there is, for a codec.
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
            throw Refusal(cause: "\(name) is not there (\(FFmpegError(result).text))")
        }
        return HardwareDevice(kind, codec: codec, format: format, reference: reference)
    }

    /// FFmpeg's own decoder with a way into the hardware. Those that are nothing but a wrapper
    /// around a driver's (`h264_cuvid`) are passed over: they have rules of their own.
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
    /// What people call it.
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
