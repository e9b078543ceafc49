// SPDX-License-Identifier: Apache-2.0

import PlayheadFFmpeg
public import PlayheadWriting

extension AssetWriter {
    /// Creates a writer for a file at a path that uses the encoders of FFmpeg.
    ///
    /// - Parameter fileType: The container; nil for the container that the path's extension names.
    /// - Throws: `unsupportedFormat` if no container has the extension.
    public convenience init(
        path: String, fileType: MediaFileType? = nil
    ) throws(MediaWritingError) {
        try self.init(path: path, fileType: fileType, engine: FFmpegWritingEngine())
    }
}
