// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// FFmpeg's log, which by default goes to the standard error of whoever plays.
///
/// Everything that matters in it comes back as an error too, so it is turned off. The level is one
/// for the whole process: a host that has set a level of its own keeps it.
///
/// - Corresponds to: `av_log_set_level`.
enum FFmpegLog {
    /// Turns the log off, the first time that it is called.
    static func silence() { _ = isSilenced }

    private static let isSilenced: Bool = {
        guard av_log_get_level() == AV_LOG_INFO else { return false }
        av_log_set_level(AV_LOG_QUIET)
        return true
    }()
}
