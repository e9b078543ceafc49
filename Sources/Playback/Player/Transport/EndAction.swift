// SPDX-License-Identifier: Apache-2.0

/// The action at the end of an item; see `Player.ActionAtItemEnd`.
enum EndAction: Sendable {
    case advance, pause, none
}
