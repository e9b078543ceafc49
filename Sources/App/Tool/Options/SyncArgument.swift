// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The clock that playback follows.
enum SyncArgument: String, ExpressibleByArgument, CaseIterable {
    /// The clock of the audio device or, without audio, of the system.
    case clock
    /// The display. The speed is changed by up to 0.5 % to match it.
    case display
}
