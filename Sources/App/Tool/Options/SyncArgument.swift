// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What decides how fast a film goes.
enum SyncArgument: String, ExpressibleByArgument, CaseIterable {
    /// The sound device's clock or, without sound, the machine's.
    case clock
    /// The display, within half a percent.
    case display
}
