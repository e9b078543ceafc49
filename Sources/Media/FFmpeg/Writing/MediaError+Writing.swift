// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

extension MediaError {
    /// Returns the error for a file that cannot be written, given an error code of FFmpeg.
    static func writing(_ code: Int32, _ path: String, remedy: String) -> MediaError {
        MediaError(
            .cannotOpen, subject: path, cause: "it cannot be written (\(FFmpegError(code).text))",
            remedy: remedy)
    }
}
