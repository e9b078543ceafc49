// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers

extension MasteringDisplayColorVolume {
    /// Creates the metadata. Fails if all of it is missing or impossible: Matroska stores numbers
    /// that need not be finite.
    init?(_ values: AVMasteringDisplayMetadata) {
        func place(_ pair: (AVRational, AVRational)) -> SIMD2<Double> {
            [av_q2d(pair.0), av_q2d(pair.1)]
        }
        let colors = values.display_primaries
        let places = [colors.0, colors.1, colors.2, values.white_point].map(place)
        let hasPlaces =
            values.has_primaries != 0
            && places.allSatisfy { $0.x.magnitude < 10 && $0.y.magnitude < 10 }
        let luminances = (av_q2d(values.max_luminance), av_q2d(values.min_luminance))
        let hasLuminances =
            values.has_luminance != 0 && luminances.0.isFinite && luminances.1.isFinite
        guard hasPlaces || hasLuminances else { return nil }
        self.init()
        if hasPlaces {
            chromaticities = Chromaticities(
                red: places[0], green: places[1], blue: places[2], white: places[3])
        }
        if hasLuminances { (maximumLuminance, minimumLuminance) = luminances }
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
