// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// A converter of decoded audio to interleaved float samples with another rate and layout.
///
/// Output sample `n` is at the time `n / outputRate` after the first input sample, because the
/// filter of libswresample is centred. `drain` returns the samples that the filter still holds.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: `SwrContext`.
final class Resampler {
    /// The properties of the input for which a resampler was created.
    struct InputFormat: Equatable {
        var sampleRate: Int32
        var sampleFormat: Int32
        var channelCount: Int32
        var order: UInt32
        var mask: UInt64

        init(_ frame: AVFrame) {
            sampleRate = frame.sample_rate
            sampleFormat = frame.format
            channelCount = frame.ch_layout.nb_channels
            order = frame.ch_layout.order.rawValue
            mask = frame.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame.ch_layout.u.mask : 0
        }
    }

    let input: InputFormat
    private let output: AudioFormat
    private var context: OpaquePointer?
    /// The index of each output channel among the channels of libswresample, which are in the order
    /// of the mask; nil if the order is the same.
    private let permutation: [Int]?
    private var scratch: [Float] = []

    /// Creates a resampler. Fails if libswresample cannot convert between the two formats.
    init?(from frame: UnsafeMutablePointer<AVFrame>, to output: AudioFormat) {
        input = InputFormat(frame.pointee)
        self.output = output
        let sorted = output.channels.sorted { $0.rawValue < $1.rawValue }
        permutation =
            sorted == output.channels
            ? nil : output.channels.map { sorted.firstIndex(of: $0) ?? 0 }

        var outputLayout = AVChannelLayout()
        let mask = sorted.reduce(0) { $0 | UInt64(1) << UInt64($1.rawValue) }
        guard mask.nonzeroBitCount == output.channelCount,
            av_channel_layout_from_mask(&outputLayout, mask) >= 0
        else { return nil }
        var inputLayout = AVChannelLayout()
        defer { av_channel_layout_uninit(&inputLayout) }
        guard av_channel_layout_copy(&inputLayout, &frame.pointee.ch_layout) >= 0 else {
            return nil
        }
        let isNamed = inputLayout.order != AV_CHANNEL_ORDER_UNSPEC
        if !isNamed {
            let count = inputLayout.nb_channels
            av_channel_layout_default(&inputLayout, count)
        }
        guard
            swr_alloc_set_opts2(
                &context, &outputLayout, AV_SAMPLE_FMT_FLT, Int32(clamping: output.sampleRate),
                &inputLayout, AVSampleFormat(input.sampleFormat), input.sampleRate, 0, nil) >= 0,
            let context
        else { return nil }
        if output.channelCount == 1, inputLayout.nb_channels == 2 {
            // By default, parts that are common to both channels would be 3 dB louder than each
            // channel.
            guard swr_set_matrix(context, [0.5, 0.5], 2) >= 0 else { return nil }
        } else if Set(output.channels) == [.frontLeft, .frontRight], inputLayout.nb_channels == 1 {
            // By default, mono would be 3 dB quieter than the same audio in a stereo file.
            guard swr_set_matrix(context, [1, 1], 1) >= 0 else { return nil }
        } else if let matrix = Self.completeMatrix(
            from: &inputLayout, to: &outputLayout, context: context)
        {
            guard swr_set_matrix(context, matrix, inputLayout.nb_channels) >= 0 else { return nil }
        } else if inputLayout.order == AV_CHANNEL_ORDER_UNSPEC {
            // There is no default layout with this many channels, so the first channels are used in
            // order.
            var matrix = [Double](
                repeating: 0, count: output.channelCount * Int(input.channelCount))
            for channel in 0..<min(output.channelCount, Int(input.channelCount)) {
                matrix[channel * Int(input.channelCount) + channel] = 1
            }
            guard swr_set_matrix(context, matrix, input.channelCount) >= 0 else { return nil }
        }
        guard swr_init(context) >= 0 else { return nil }
    }

    deinit { swr_free(&context) }

    /// Converts a frame and calls `body` with the samples that the filter can compute so far,
    /// interleaved in the channel order of the output format. The samples are valid only within
    /// `body`.
    func convert<Result>(
        _ frame: UnsafeMutablePointer<AVFrame>, body: (UnsafeBufferPointer<Float>) -> Result
    ) -> Result? {
        frame.pointee.extended_data.withMemoryRebound(
            to: UnsafePointer<UInt8>?.self, capacity: Int(frame.pointee.ch_layout.nb_channels)
        ) { convert($0, count: frame.pointee.nb_samples, body: body) }
    }

    /// Returns the samples that the filter still holds at the end.
    func drain<Result>(body: (UnsafeBufferPointer<Float>) -> Result) -> Result? {
        convert(nil, count: 0, body: body)
    }

    private func convert<Result>(
        _ data: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int32,
        body: (UnsafeBufferPointer<Float>) -> Result
    ) -> Result? {
        let room = Int(max(0, swr_get_out_samples(context, count)))
        let channels = output.channelCount
        if scratch.count < room * channels {
            scratch = [Float](repeating: 0, count: room * channels)
        }
        let frames = scratch.withUnsafeMutableBytes { bytes -> Int32 in
            var address = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return swr_convert(context, &address, Int32(clamping: room), data, count)
        }
        guard frames >= 0 else { return nil }
        return scratch.withUnsafeMutableBufferPointer { samples in
            let filled = UnsafeMutableBufferPointer(rebasing: samples[..<(Int(frames) * channels)])
            tidy(filled)
            return body(UnsafeBufferPointer(filled))
        }
    }

    /// Replaces NaN with silence, because NaN would never leave a filter. Also reorders the
    /// channels.
    private func tidy(_ samples: UnsafeMutableBufferPointer<Float>) {
        for index in samples.indices where !samples[index].isFinite { samples[index] = 0 }
        guard let permutation else { return }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: permutation.count) { group in
            var start = 0
            while start < samples.count {
                for (index, source) in permutation.enumerated() {
                    group[index] = samples[start + source]
                }
                for index in 0..<permutation.count { samples[start + index] = group[index] }
                start += permutation.count
            }
        }
    }
}
