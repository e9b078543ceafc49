// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import Glibc
import PlayheadWriting

extension MediaWritingError {
    /// Returns the error of a muxer. If the file itself could not be written, that failure is the
    /// cause.
    static func muxing(_ code: Int32, _ file: WritingFile) -> MediaWritingError {
        if file.failure != 0 { return WritingFile.writeError(file.failure, file.subject) }
        if code == ph_AVERROR(ENOMEM) { return outOfMemory(file.subject) }
        return MediaWritingError(
            .writeFailed, subject: file.subject,
            cause: "the container refuses a sample (\(FFmpegError(code).text))",
            remedy: "use another container, such as .mkv")
    }

    static func outOfMemory(_ subject: String) -> MediaWritingError {
        MediaWritingError(
            .outOfResources, subject: subject, cause: "there is not enough memory",
            remedy: "free memory")
    }
}
