// SPDX-License-Identifier: Apache-2.0

/// An object that creates the encoders and the muxer of a file. It is the interface between the
/// writer and the library that encodes and muxes.
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

    /// Creates the muxer for a file.
    ///
    /// - Throws: `unsupportedFormat` if the container cannot store one of the tracks.
    func makeMuxer(
        of file: WritingFile, type: MediaFileType, tracks: [EncodedTrackFormat],
        options: MuxerOptions
    ) throws(MediaWritingError) -> any MediaMuxer

    /// Returns a Boolean value that indicates whether compressed samples with one set of parameters
    /// can follow samples with the other in a track.
    func haveSameFormat(_ first: any AnyObject & Sendable, _ second: any AnyObject & Sendable)
        -> Bool

    /// Returns the sample rate at which a codec stores audio of rate `rate`: `rate` if the codec
    /// supports it, otherwise the nearest rate that it supports.
    func sampleRate(nearest rate: Int, for codec: AudioCodecType) -> Int
}
