// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
package import PlayheadAssets

/// The capabilities of the installed FFmpeg.
///
/// - Concurrency: any thread.
package enum FFmpegCodecs {
    /// FFmpeg's version, and the licence of the installed build.
    package static var versionText: String {
        "\(String(cString: av_version_info())), \(String(cString: avformat_license()))"
    }

    /// Returns whether FFmpeg has a decoder for a codec, given by its short name, such as `h264`.
    package static func canDecode(_ name: String) -> Bool {
        guard let descriptor = avcodec_descriptor_get_by_name(name) else { return false }
        return avcodec_find_decoder(descriptor.pointee.id) != nil
    }

    /// A Boolean value that indicates whether FFmpeg receives SRT streams.
    package static var receivesSRT: Bool { SRTSource.isAvailable }

    /// Returns the reason why hardware decoding is not available for a codec, given by its short
    /// name; nil if it is available. The call opens the hardware, which may take a while.
    package static func refusal(
        of acceleration: HardwareAcceleration, for name: String
    ) -> String? {
        guard let descriptor = avcodec_descriptor_get_by_name(name) else {
            return "there is no codec \(name)"
        }
        FFmpegLog.silence()
        do throws(HardwareDevice.Refusal) {
            _ = try HardwareDevice.open(acceleration, for: descriptor.pointee.id)
            return nil
        } catch {
            return error.cause
        }
    }
}
