// SPDX-License-Identifier: Apache-2.0

/// Makes the encoders and the muxer of a file: the interface between the writer and the library
/// that does the work.
///
/// - Concurrency: any thread.
package protocol WritingEngine: Sendable {
    /// Opens a video encoder.
    ///
    /// - Throws: `encoderMissing`, or `unsupportedFormat` if the encoder refuses the settings.
    func makeVideoEncoder(
        _ settings: VideoOutputSettings, for type: MediaFileType, subject: String
    ) throws(MediaWritingError) -> any VideoSampleEncoder

    /// Opens an audio encoder.
    func makeAudioEncoder(
        _ settings: AudioOutputSettings, for type: MediaFileType, subject: String
    ) throws(MediaWritingError) -> any AudioSampleEncoder

    /// Creates the muxer of a file.
    ///
    /// - Throws: `unsupportedFormat` if the container cannot store one of the tracks.
    func makeMuxer(
        of file: WritingFile, type: MediaFileType, tracks: [EncodedTrackFormat],
        options: MuxerOptions
    ) throws(MediaWritingError) -> any MediaMuxer

    /// Returns the sample rate at which a codec stores audio of `rate`: the same if it can,
    /// otherwise the nearest that it can.
    func sampleRate(nearest rate: Int, for codec: AudioCodecType) -> Int
}
