// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Conformance to Swift's Observation; see `Player`.
extension PlayerItem: Observable {
    static let observableProperties: [ObservableProperties<PlayerItem, PlayerItemState>.Property] =
        [
            .init(\.status, shows: \.status),
            .init(\.error, shows: \.status),
            .init(\.assetDescription, shows: \.status),
            .init(\.duration, shows: \.duration),
            .init(\.chapters, shows: \.status),
            .init(\.tracks, shows: \.enabledTracks),
            .init(\.loadedTimeRanges, shows: \.loadedTimeRanges),
            .init(\.isPlaybackLikelyToKeepUp, shows: \.isPlaybackLikelyToKeepUp),
            .init(\.isPlaybackBufferEmpty, shows: \.isPlaybackBufferEmpty),
            .init(\.isPlaybackBufferFull, shows: \.isPlaybackBufferFull),
            .init(\.seekableTimeRanges, shows: \.seekableTimeRanges),
            .init(\.presentationSize, shows: \.presentationSize),
            .init(\.suppressesPlayerRendering, shows: \.suppressesPlayerRendering),
            .init(\.hasPlayedToEnd, shows: \.hasPlayedToEnd),
            .init(\.lastDecodingError, shows: \.lastDecodingError),
            .init(\.state, shows: \.self),
        ]
}
