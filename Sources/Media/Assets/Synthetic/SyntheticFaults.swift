// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The faults of a synthetic asset, and hooks that are called during reading and decoding.
///
/// With hooks, a test controls the outcome of a race: a hook that blocks until the test lets it
/// continue simulates a slow disk or a slow decoder; one that throws simulates a broken one.
///
/// - Concurrency: hooks run on the thread that opens, reads, seeks or decodes.
package struct SyntheticFaults: Sendable {
    /// Frames, by their number in order of presentation, whose decoding fails.
    package var undecodableFrames: Set<Int> = []
    /// The audio packets, by number in the track, that fail to decode.
    package var undecodableSoundPackets: Set<Int> = []
    /// The frames whose packets and pixel buffers have no presentation time.
    package var framesWithoutTime: Set<Int> = []
    /// Presentation times that replace the actual ones, such as repeated, decreasing or distant
    /// ones.
    package var writtenTimes: [Int: MediaTime] = [:]
    /// The frames whose packets are missing in the file.
    package var missingFrames: Set<Int> = []

    /// Called when a demuxer is opened.
    package var willOpen: (@Sendable (Cancellation) throws(MediaError) -> Void)?
    /// Called before a packet is read, with how many the demuxer has returned since it was opened.
    package var willReadPacket: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a seek.
    package var willSeek: (@Sendable () throws(MediaError) -> Void)?
    /// Called before a frame is computed, with its number, in decoding order.
    package var willDecodeFrame: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a decoder is asked for a frame, whether or not it has one.
    package var willReceiveFrame: (@Sendable () throws(MediaError) -> Void)?

    package init() {}
}
