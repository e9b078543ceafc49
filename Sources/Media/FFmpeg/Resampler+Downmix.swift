// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

extension Resampler {
    /// Returns libswresample's downmix matrix, with rows added for the channels that libswresample
    /// drops: those of the upper and lower layers, as in 22.2. Returns nil if libswresample drops
    /// no channels.
    ///
    /// A dropped channel is mixed into the front channel of its side, or into the centre if it is
    /// in the middle. Its level is reduced by 3 dB, as the level of surround channels is in ITU-R
    /// BS.775-3, table 2.
    static func completeMatrix(
        from input: inout AVChannelLayout, to output: inout AVChannelLayout, context: OpaquePointer
    ) -> [Double]? {
        let (columns, rows) = (Int(input.nb_channels), Int(output.nb_channels))
        guard input.order == AV_CHANNEL_ORDER_NATIVE, columns > rows, columns <= 64 else {
            return nil
        }
        var matrix = [Double](repeating: 0, count: columns * rows)
        let level = 0.5.squareRoot()
        // libswresample itself calls it in this way for float samples: the sum is not limited.
        let built = swr_build_matrix2(
            &input, &output, level, level, 0, Double(Int32.max), 1, &matrix, columns,
            AV_MATRIX_ENCODING_NONE, UnsafeMutableRawPointer(context))
        guard built >= 0 else { return nil }
        func row(_ channel: AVChannel) -> Int? {
            let index = av_channel_layout_index_from_channel(&output, channel)
            return index >= 0 ? Int(index) : nil
        }
        let (left, right) = (row(AV_CHAN_FRONT_LEFT), row(AV_CHAN_FRONT_RIGHT))
        let center = row(AV_CHAN_FRONT_CENTER)
        var isChanged = false
        for column in 0..<columns
        where (0..<rows).allSatisfy({ matrix[$0 * columns + column] == 0 }) {
            let channel = av_channel_layout_channel_from_index(&input, UInt32(column))
            // Only the low frequencies are left out on purpose.
            guard channel != AV_CHAN_LOW_FREQUENCY, channel != AV_CHAN_LOW_FREQUENCY_2,
                row(channel) == nil
            else { continue }
            let targets: [(row: Int?, gain: Double)] =
                switch side(of: channel) {
                case .left: left == nil ? [(center, level)] : [(left, level)]
                case .right: right == nil ? [(center, level)] : [(right, level)]
                case .middle:
                    center == nil
                        ? [(left, level * level), (right, level * level)] : [(center, level)]
                }
            for target in targets {
                guard let row = target.row else { continue }
                matrix[row * columns + column] = target.gain
                isChanged = true
            }
        }
        return isChanged ? matrix : nil
    }

    private enum Side { case left, right, middle }

    private static func side(of channel: AVChannel) -> Side {
        switch channel {
        case AV_CHAN_TOP_FRONT_LEFT, AV_CHAN_TOP_BACK_LEFT, AV_CHAN_TOP_SIDE_LEFT,
            AV_CHAN_BOTTOM_FRONT_LEFT, AV_CHAN_SIDE_LEFT, AV_CHAN_BACK_LEFT, AV_CHAN_WIDE_LEFT,
            AV_CHAN_SURROUND_DIRECT_LEFT, AV_CHAN_FRONT_LEFT_OF_CENTER:
            .left
        case AV_CHAN_TOP_FRONT_RIGHT, AV_CHAN_TOP_BACK_RIGHT, AV_CHAN_TOP_SIDE_RIGHT,
            AV_CHAN_BOTTOM_FRONT_RIGHT, AV_CHAN_SIDE_RIGHT, AV_CHAN_BACK_RIGHT,
            AV_CHAN_WIDE_RIGHT, AV_CHAN_SURROUND_DIRECT_RIGHT, AV_CHAN_FRONT_RIGHT_OF_CENTER:
            .right
        default: .middle
        }
    }
}
