// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers

extension MasteringDisplayColorVolume {
    /// Creates the metadata. Fails if all of it is missing.
    init?(_ values: AVMasteringDisplayMetadata) {
        func place(_ pair: (AVRational, AVRational)) -> SIMD2<Double> {
            [av_q2d(pair.0), av_q2d(pair.1)]
        }
        guard values.has_primaries != 0 || values.has_luminance != 0 else { return nil }
        self.init()
        if values.has_primaries != 0 {
            let colors = values.display_primaries
            chromaticities = Chromaticities(
                red: place(colors.0), green: place(colors.1), blue: place(colors.2),
                white: place(values.white_point))
        }
        if values.has_luminance != 0 {
            maximumLuminance = av_q2d(values.max_luminance)
            minimumLuminance = av_q2d(values.min_luminance)
        }
    }
}

extension ContentLightLevel {
    init(_ values: AVContentLightMetadata) {
        self.init(
            maximumContentLightLevel: Int(values.MaxCLL),
            maximumFrameAverageLightLevel: Int(values.MaxFALL))
    }
}

extension FormatDescription.DolbyVision {
    init(_ record: AVDOVIDecoderConfigurationRecord) {
        self.init(
            profile: Int(record.dv_profile), level: Int(record.dv_level),
            baseCompatibility: Int(record.dv_bl_signal_compatibility_id))
    }
}

/// Access to the side data of streams and frames by type.
enum SideData {
    /// Returns a stream's side data as FFmpeg's C structure; nil if the stream has no such data.
    static func value<Value>(
        _ type: AVPacketSideDataType, of stream: UnsafeMutablePointer<AVStream>, as _: Value.Type
    ) -> Value? {
        var size = 0
        guard let bytes = ph_stream_side_data(stream, type, &size),
            size >= MemoryLayout<Value>.size
        else { return nil }
        return UnsafeRawPointer(bytes).loadUnaligned(as: Value.self)
    }

    /// Returns a frame's side data as FFmpeg's C structure; nil if the frame has no such data.
    static func value<Value>(
        _ type: AVFrameSideDataType, of frame: UnsafeMutablePointer<AVFrame>, as _: Value.Type
    ) -> Value? {
        guard let side = av_frame_get_side_data(frame, type),
            side.pointee.size >= MemoryLayout<Value>.size, let bytes = side.pointee.data
        else { return nil }
        return UnsafeRawPointer(bytes).loadUnaligned(as: Value.self)
    }
}
