// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadWriting

extension MediaWritingError {
    /// Creates the error of an export whose source cannot be read.
    init(_ error: MediaError) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .noSuchFrame, .noPlayableTracks: .noSamples
            default: .unreadable
            }
        self.init(code, subject: error.subject, cause: error.cause, remedy: error.remedy)
    }

    /// The error of an export that was cancelled.
    static func exportCancelled(_ path: String) -> MediaWritingError {
        MediaWritingError(.cancelled, subject: path, cause: "the export was cancelled")
    }
}

/// Calls a function that reads a source, and converts its error to an error of the export.
func reading<Value>(
    _ body: () throws(MediaError) -> Value
) throws(MediaWritingError) -> Value {
    do throws(MediaError) {
        return try body()
    } catch {
        throw MediaWritingError(error)
    }
}
