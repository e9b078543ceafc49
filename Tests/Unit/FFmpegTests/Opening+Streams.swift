// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadFFmpeg
import PlayheadTime

extension Opening {
    /// Opens a live stream.
    ///
    /// - Parameters:
    ///   - seconds: The time that opening may take.
    ///   - schemes: The schemes that the rules allow; nil for the default ones.
    static func stream(
        _ url: String, seconds: Double = 60, schemes: Set<AssetAccessRules.Scheme>? = nil
    ) throws(MediaError) -> any Demuxer {
        var options = AssetOptions()
        options.openingTimeout = MediaTime(value: Int64(seconds * 1000), timescale: 1000)
        if let schemes { options.rules.schemes = schemes }
        return try FFmpegOpener(AssetLocation(url), options: options)
            .openDemuxer(cancellation: Cancellation())
    }

    /// Returns the error of opening a live stream; nil if it opens.
    static func failure(
        _ url: String, seconds: Double = 60, schemes: Set<AssetAccessRules.Scheme>? = nil
    ) -> MediaError? {
        do throws(MediaError) {
            _ = try stream(url, seconds: seconds, schemes: schemes)
            return nil
        } catch {
            return error
        }
    }
}
