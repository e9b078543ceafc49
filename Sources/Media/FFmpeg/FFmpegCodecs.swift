// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
package import PlayheadAssets

/// What the installed FFmpeg can do.
///
/// - Concurrency: any thread.
package enum FFmpegCodecs {
    /// FFmpeg's version in words, and the licence of this build of it.
    package static var versionText: String {
        "\(String(cString: av_version_info())), \(String(cString: avformat_license()))"
    }

    /// Whether there is a decoder for a codec, by its short name such as `h264`.
    package static func canDecode(_ name: String) -> Bool {
        guard let descriptor = avcodec_descriptor_get_by_name(name) else { return false }
        return avcodec_find_decoder(descriptor.pointee.id) != nil
    }

    /// Whether hardware can be had for a codec, by its short name: nil if so, else why not. Opens
    /// it, which may take a while.
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
