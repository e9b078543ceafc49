// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse
import PlayheadBuffers

extension pa_channel_map {
    /// Creates a map with the positions of `channels`, in their order.
    init(_ channels: [AudioChannel]) {
        self.init()
        pa_channel_map_init(&self)
        self.channels = UInt8(clamping: channels.count)
        withUnsafeMutableBytes(of: &map) { bytes in
            let positions = bytes.bindMemory(to: pa_channel_position_t.self)
            for (index, channel) in channels.prefix(positions.count).enumerated() {
                positions[index] = channels.count == 1 ? PA_CHANNEL_POSITION_MONO : channel.pulse
            }
        }
    }
}

extension AudioChannel {
    fileprivate var pulse: pa_channel_position_t {
        switch self {
        case .frontLeft: PA_CHANNEL_POSITION_FRONT_LEFT
        case .frontRight: PA_CHANNEL_POSITION_FRONT_RIGHT
        case .frontCenter: PA_CHANNEL_POSITION_FRONT_CENTER
        case .lowFrequency: PA_CHANNEL_POSITION_LFE
        case .backLeft: PA_CHANNEL_POSITION_REAR_LEFT
        case .backRight: PA_CHANNEL_POSITION_REAR_RIGHT
        case .frontLeftOfCenter: PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER
        case .frontRightOfCenter: PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER
        case .backCenter: PA_CHANNEL_POSITION_REAR_CENTER
        case .sideLeft: PA_CHANNEL_POSITION_SIDE_LEFT
        case .sideRight: PA_CHANNEL_POSITION_SIDE_RIGHT
        case .topCenter: PA_CHANNEL_POSITION_TOP_CENTER
        case .topFrontLeft: PA_CHANNEL_POSITION_TOP_FRONT_LEFT
        case .topFrontCenter: PA_CHANNEL_POSITION_TOP_FRONT_CENTER
        case .topFrontRight: PA_CHANNEL_POSITION_TOP_FRONT_RIGHT
        case .topBackLeft: PA_CHANNEL_POSITION_TOP_REAR_LEFT
        case .topBackCenter: PA_CHANNEL_POSITION_TOP_REAR_CENTER
        case .topBackRight: PA_CHANNEL_POSITION_TOP_REAR_RIGHT
        }
    }
}
