// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// The value of `--start`: a time, a time before the end such as `-10`, or a percentage such as
/// `50%`.
///
/// - Corresponds to: mpv's `--start`.
enum StartArgument {
    case time(MediaTime)
    case beforeEnd(MediaTime)
    case percent(Double)

    /// Parses an argument.
    init(argument: String) throws {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else {
                throw ValidationError("expected a percentage from 0% to 100%")
            }
            self = .percent(percent)
        } else if argument.hasPrefix("-"),
            let time = try? TimeArgument(argument: String(argument.dropFirst()))
        {
            self = .beforeEnd(time.time)
        } else if let time = try? TimeArgument(argument: argument) {
            self = .time(time.time)
        } else {
            throw ValidationError(
                "expected a time such as 12.5, 1:02:03.25 or 1001/30000, a time before the end "
                    + "such as -10, or a percentage such as 50%")
        }
    }

    /// The time from the start of the media; nil if it depends on the end of the media.
    var time: MediaTime? { if case .time(let time) = self { time } else { nil } }

    /// Returns the start time in media whose end is known.
    func time(ending end: MediaTime) -> MediaTime {
        switch self {
        case .time(let time): time
        case .beforeEnd(let time): max(.zero, end - time)
        case .percent(let percent): end * (percent / 100)
        }
    }
}
