// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// A distance from the present on the command line: a number of seconds, or the name of a policy.
struct LatencyArgument: ExpressibleByArgument {
    /// The text of the argument.
    let text: String
    /// The policy; nil if the text is neither a name nor a distance.
    let policy: PlayerItem.LatencyPolicy?

    init(argument: String) {
        text = argument
        switch argument {
        case "newest": policy = .newest
        case "smooth": policy = .smooth
        default:
            guard let seconds = Double(argument), (0...86_400).contains(seconds) else {
                policy = nil
                return
            }
            let offset = MediaTime(seconds: seconds, preferredTimescale: 1000)
            policy = offset > .zero ? .offset(offset) : .newest
        }
    }

    static var defaultCompletionKind: CompletionKind { .list(["newest", "smooth"]) }
}
