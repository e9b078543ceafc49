// SPDX-License-Identifier: Apache-2.0

import PlayheadFFmpeg
public import PlayheadTime
public import PlayheadWriting

extension AssetWriter {
    /// Creates a writer that uses the encoders of FFmpeg, for a file at a path.
    ///
    /// - Parameter fileType: The container; nil selects it by the path's extension.
    /// - Throws: `unsupportedFormat` if no container has the extension.
    public convenience init(
        path: String, fileType: MediaFileType? = nil
    ) throws(MediaWritingError) {
        try self.init(path: path, fileType: fileType, engine: FFmpegWritingEngine())
    }

    /// Creates a writer that uses the encoders of FFmpeg and delivers segments of fragmented MP4,
    /// for HTTP Live Streaming. It writes no file.
    ///
    /// Segments begin at the first keyframe at or after each multiple of the interval, counted from
    /// the start of the session. Inputs that encode frames make keyframes at these times.
    ///
    /// - Parameters:
    ///   - segmentInterval: The duration of a segment, which must be positive.
    ///   - delegate: The receiver of the segments. The writer retains it.
    /// - Corresponds to: `init(contentType:)` with `preferredOutputSegmentInterval`.
    public convenience init(segmentInterval: MediaTime, delegate: any AssetWriterDelegate) {
        self.init(
            segmentInterval: segmentInterval, delegate: delegate, engine: FFmpegWritingEngine())
    }
}
