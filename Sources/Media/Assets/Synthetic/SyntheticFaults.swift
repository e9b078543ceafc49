// SPDX-License-Identifier: Apache-2.0

/// What goes wrong in a synthetic film, and who is called on the way.
///
/// The hooks make the outcome of a race a matter of choice: one that blocks until the test lets it
/// go on stands for a slow disk or a slow decoder, one that throws for a broken one.
///
/// - Concurrency: hooks run on whichever thread opens, reads, seeks or decodes.
public struct SyntheticFaults: Sendable {
    /// Frames, by their number in order of presentation, whose decoding fails.
    public var undecodableFrames: Set<Int> = []
    /// Packets of sound, by their number in the track, whose decoding fails.
    public var undecodableSoundPackets: Set<Int> = []
    /// Frames whose packets and pictures have no presentation time.
    public var framesWithoutTime: Set<Int> = []
    /// Frames whose packets the file lacks.
    public var missingFrames: Set<Int> = []

    /// Called when a demuxer is opened.
    public var willOpen: (@Sendable (Cancellation) throws(MediaError) -> Void)?
    /// Called before a packet is read, with how many the demuxer has returned since it was opened.
    public var willReadPacket: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a seek, with nothing but the fact.
    public var willSeek: (@Sendable () throws(MediaError) -> Void)?
    /// Called before a picture is computed, with its frame number: in order of decoding.
    public var willDecodeFrame: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a decoder is asked for a picture, whether or not it has one.
    public var willReceiveFrame: (@Sendable () throws(MediaError) -> Void)?

    public init() {}
}
