// SPDX-License-Identifier: Apache-2.0

extension Player.ActionAtItemEnd {
    /// The action at the end of the current item.
    var action: EndAction {
        switch self {
        case .advance: .advance
        case .pause: .pause
        case .none: .none
        }
    }
}
