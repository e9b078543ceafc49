// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
import PlayheadTime

extension CompositionState {
    /// The description of the composition as an asset. Tracks without media are left out.
    package var description: AssetDescription {
        AssetDescription(
            container: "composition", duration: duration,
            tracks: tracks.compactMap(\.description))
    }
}

extension CompositionTrackState {
    /// The description of the track as a track of an asset, with the format of its first source.
    /// Nil if the track has no media, or only media that is not played.
    fileprivate var description: AssetTrack? {
        guard mediaType == .video || mediaType == .audio, let source = firstSource?.track else {
            return nil
        }
        let isUniform = segments.allSatisfy { segment in
            guard let other = segment.source else { return true }
            return other.track.nominalFrameRate == source.nominalFrameRate
                && segment.timeMapping.source.duration == segment.timeMapping.target.duration
        }
        return AssetTrack(
            id: id, mediaType: mediaType, formatDescription: source.formatDescription,
            languageTag: languageTag, isEnabled: isEnabled,
            timeRange: MediaTimeRange(start: .zero, duration: end),
            timeUnit: MediaTime(value: 1, timescale: max(1, timeScale)),
            nominalFrameRate: isUniform ? source.nominalFrameRate : 0,
            frameDuration: isUniform ? source.frameDuration : .invalid,
            minimumFrameDuration: isUniform ? source.minimumFrameDuration : .invalid,
            estimatedDataRate: source.estimatedDataRate,
            segments: segments.map { AssetTrackSegment(timeMapping: $0.timeMapping) })
    }
}
