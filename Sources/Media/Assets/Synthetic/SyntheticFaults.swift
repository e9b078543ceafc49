// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The faults of a synthetic asset, and the hooks that are called on the way.
///
/// The hooks make the outcome of a race a matter of choice: one that blocks until the test lets it
/// continue stands for a slow disk or a slow decoder, one that throws for a broken one.
///
/// - Concurrency: hooks run on whichever thread opens, reads, seeks or decodes.
package struct SyntheticFaults: Sendable {
    /// Frames, by their number in order of presentation, whose decoding fails.
    package var undecodableFrames: Set<Int> = []
    /// Packets of sound, by their number in the track, whose decoding fails.
    package var undecodableSoundPackets: Set<Int> = []
    /// Frames whose packets and pictures have no presentation time.
    package var framesWithoutTime: Set<Int> = []
    /// Presentation times that packets and pictures have in place of their own: repeated ones, such
    /// as step back, or are nowhere near.
    package var writtenTimes: [Int: MediaTime] = [:]
    /// Frames whose packets the file lacks.
    package var missingFrames: Set<Int> = []

    /// Called when a demuxer is opened.
    package var willOpen: (@Sendable (Cancellation) throws(MediaError) -> Void)?
    /// Called before a packet is read, with how many the demuxer has returned since it was opened.
    package var willReadPacket: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a seek, with nothing but the fact.
    package var willSeek: (@Sendable () throws(MediaError) -> Void)?
    /// Called before a picture is computed, with its frame number: in order of decoding.
    package var willDecodeFrame: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a decoder is asked for a picture, whether or not it has one.
    package var willReceiveFrame: (@Sendable () throws(MediaError) -> Void)?

    package init() {}
}
