// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// Copies of what probing has found: the parameters, times and rates of all streams.
///
/// - Concurrency: any thread; constant.
/// - Ownership: owns the copies.
final class ProbedStreams: @unchecked Sendable {
    // Unchecked: constant, including the memory behind the pointers.

    private struct Stream {
        var parameters: UnsafeMutablePointer<AVCodecParameters>?
        var startTime: Int64
        var duration: Int64
        var averageRate: AVRational
        var realRate: AVRational
        var aspectRatio: AVRational
    }

    private let streams: [Stream]
    private let startTime: Int64
    private let duration: Int64
    private let bitRate: Int64
    private let durationMethod: AVDurationEstimationMethod

    init?(_ context: UnsafeMutablePointer<AVFormatContext>) {
        let values = context.pointee
        (startTime, duration) = (values.start_time, values.duration)
        (bitRate, durationMethod) = (values.bit_rate, values.duration_estimation_method)
        streams = (0..<Int(values.nb_streams)).compactMap { index in
            guard let stream = values.streams[index]?.pointee else { return nil }
            return Stream(
                parameters: Self.copy(stream.codecpar), startTime: stream.start_time,
                duration: stream.duration, averageRate: stream.avg_frame_rate,
                realRate: stream.r_frame_rate, aspectRatio: stream.sample_aspect_ratio)
        }
        guard streams.count == Int(values.nb_streams),
            streams.allSatisfy({ $0.parameters != nil })
        else { return nil }
    }

    deinit {
        for stream in streams {
            var parameters = stream.parameters
            avcodec_parameters_free(&parameters)
        }
    }

    private static func copy(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) -> UnsafeMutablePointer<AVCodecParameters>? {
        var copy = avcodec_parameters_alloc()
        guard let target = copy else { return nil }
        if avcodec_parameters_copy(target, parameters) < 0 { avcodec_parameters_free(&copy) }
        return copy
    }

    /// Describes the streams of the file after it has been opened again.
    ///
    /// - Returns: false if it has other streams, and must be probed.
    func describe(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        guard streams.count == Int(context.pointee.nb_streams) else { return false }
        for (index, known) in streams.enumerated() {
            guard let stream = context.pointee.streams[index], let parameters = known.parameters,
                stream.pointee.codecpar.pointee.codec_type == parameters.pointee.codec_type,
                avcodec_parameters_copy(stream.pointee.codecpar, parameters) >= 0
            else { return false }
            stream.pointee.start_time = known.startTime
            stream.pointee.duration = known.duration
            stream.pointee.avg_frame_rate = known.averageRate
            stream.pointee.r_frame_rate = known.realRate
            stream.pointee.sample_aspect_ratio = known.aspectRatio
        }
        context.pointee.start_time = startTime
        context.pointee.duration = duration
        context.pointee.bit_rate = bitRate
        context.pointee.duration_estimation_method = durationMethod
        return true
    }
}
