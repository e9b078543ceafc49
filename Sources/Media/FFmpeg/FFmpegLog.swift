// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// FFmpeg's log, which by default is written to the standard error of the process.
///
/// It is turned off, because FFmpeg also returns the relevant errors. The log level applies to the
/// whole process. If the host has set a level, it is not changed.
///
/// - Corresponds to: `av_log_set_level`.
enum FFmpegLog {
    /// Turns the log off at the first call.
    static func silence() { _ = isSilenced }

    private static let isSilenced: Bool = {
        guard av_log_get_level() == AV_LOG_INFO else { return false }
        av_log_set_level(AV_LOG_QUIET)
        return true
    }()
}
