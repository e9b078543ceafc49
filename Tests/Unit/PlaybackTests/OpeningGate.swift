// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads

/// A gate before the opening of assets, which is closed at first.
///
///     let gate = OpeningGate()
///     let item = PlayerItem(gate.before(.silent()))
///     gate.open()
///
/// - Concurrency: any thread.
/// - Ownership: a thread that waits at the gate keeps it; open it at the end of the test.
final class OpeningGate: Sendable {
    private let isOpen: Monitor<Bool>

    init(isOpen: Bool = false) { self.isOpen = Monitor(isOpen) }

    /// Waits until the gate is open.
    func pass() { isOpen.wait { $0 ? true : nil } }

    func open() { isOpen.change { $0 = true } }

    /// Returns media whose assets wait at the gate when they are opened.
    func before(_ media: SyntheticMedia) -> SyntheticMedia {
        var media = media
        media.faults.willOpen = { [self] _ throws(MediaError) in pass() }
        return media
    }
}
