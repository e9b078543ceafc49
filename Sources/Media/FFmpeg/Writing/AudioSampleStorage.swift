// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// Functions that store interleaved float samples in the sample formats of encoders.
enum AudioSampleStorage {
    /// Rounds a sample to a signed integer with a given number of bits, as libswresample does.
    private static func integer(_ sample: Float, bits: Int) -> Int32 {
        guard sample.isFinite else { return 0 }
        let scale = Float(Int32(1) << (bits - 1))
        return Int32(min(max((sample * scale).rounded(.toNearestOrEven), -scale), scale - 1))
    }

    /// Copies samples into a frame that has memory for them.
    static func fill(
        _ frame: UnsafeMutablePointer<AVFrame>, with samples: ArraySlice<Float>, channels: Int
    ) {
        guard let planes = frame.pointee.extended_data else { return }
        let format = AVSampleFormat(frame.pointee.format)
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        samples.withUnsafeBufferPointer { samples in
            for channel in 0..<(isPlanar ? channels : 1) {
                guard let plane = planes[channel].map({ UnsafeMutableRawPointer($0) }) else {
                    return
                }
                let step = isPlanar ? channels : 1
                var place = 0
                for index in stride(from: channel, to: samples.count, by: step) {
                    let sample = samples[index]
                    switch format {
                    case AV_SAMPLE_FMT_S16:
                        plane.storeBytes(
                            of: Int16(integer(sample, bits: 16)), toByteOffset: place * 2,
                            as: Int16.self)
                    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
                        plane.storeBytes(
                            of: integer(sample, bits: 24) << 8, toByteOffset: place * 4,
                            as: Int32.self)
                    default:
                        plane.storeBytes(of: sample, toByteOffset: place * 4, as: Float.self)
                    }
                    place += 1
                }
            }
        }
    }
}
