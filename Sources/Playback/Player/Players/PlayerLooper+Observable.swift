// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Conformance to Swift's Observation; see `Player`.
extension PlayerLooper: Observable {
    static let observableProperties:
        [ObservableProperties<PlayerLooper, PlayerLooperState>.Property] = [
            .init(\.status, shows: \.status),
            .init(\.error, shows: \.status),
            .init(\.loopCount, shows: \.loopCount),
            .init(\.state, shows: \.self),
        ]
}
