// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Conformance to Swift's Observation. With `import Observation`, properties that
/// `withObservationTracking` or a view reads are tracked, and their changes are reported on the
/// main thread.
///
///     withObservationTracking {
///         button.title = player.timeControlStatus == .paused ? "Play" : "Pause"
///     } onChange: {
///         Task { @MainActor in update() }
///     }
///
/// Track properties on the main thread. On another thread, a change between reading and tracking
/// may be missed; `observe` and `values(of:)` miss no change. The program has to run its main
/// queue, as `MainLoop` does.
extension Player: Observable {
    static let observableProperties: [ObservableProperties<Player, PlayerState>.Property] = [
        .init(\.rate, shows: \.rate),
        .init(\.timeControlStatus, shows: \.timeControlStatus),
        .init(\.reasonForWaitingToPlay, shows: \.reasonForWaitingToPlay),
        .init(\.currentItem, shows: \.currentItem),
        .init(\.status, shows: \.status),
        .init(\.error, shows: \.status),
        .init(\.volume, shows: \.volume),
        .init(\.isMuted, shows: \.isMuted),
        .init(
            \.automaticallyWaitsToMinimizeStalling, shows: \.automaticallyWaitsToMinimizeStalling),
        .init(\.isInterrupted, shows: \.isInterrupted),
        .init(\.audioError, shows: \.audioError),
        .init(\.state, shows: \.self),
    ]
}
