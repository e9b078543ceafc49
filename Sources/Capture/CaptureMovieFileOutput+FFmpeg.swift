// SPDX-License-Identifier: Apache-2.0

public import PlayheadCapturing
import PlayheadFFmpeg

extension CaptureMovieFileOutput {
    /// Creates an output that uses the encoders of FFmpeg.
    public convenience init() { self.init(engine: FFmpegWritingEngine()) }
}
