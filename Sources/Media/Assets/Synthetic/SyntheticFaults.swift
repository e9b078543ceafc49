// SPDX-License-Identifier: Apache-2.0

package import PlayheadTime

/// The faults of a synthetic asset, and hooks that are called during reading and decoding.
///
/// With hooks, a test controls the outcome of a race. A hook that blocks until the test lets it
/// continue simulates a slow disk or a slow decoder. A hook that throws an error simulates a broken
/// one.
///
/// - Concurrency: hooks run on the thread that opens, reads, seeks or decodes.
package struct SyntheticFaults: Sendable {
    /// The frames that fail to decode, by number in presentation order.
    package var undecodableFrames: Set<Int> = []
    /// The audio packets that fail to decode, by number in the track.
    package var undecodableSoundPackets: Set<Int> = []
    /// The frames whose packets and pixel buffers have no presentation time.
    package var framesWithoutTime: Set<Int> = []
    /// Presentation times that replace the actual ones, by number of the frame. They may be
    /// repeated, decreasing or far away.
    package var writtenTimes: [Int: MediaTime] = [:]
    /// The frames whose packets are missing in the file.
    package var missingFrames: Set<Int> = []

    /// Called when a demuxer is opened.
    package var willOpen: (@Sendable (Cancellation) throws(MediaError) -> Void)?
    /// Called before a decoder is created. The argument is the identifier of the track.
    package var willMakeDecoder: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a packet is read. The argument is the number of packets that the demuxer has
    /// returned since it was opened.
    package var willReadPacket: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a packet is returned. The argument is the time at which the packet has to be
    /// decoded.
    package var willReturnPacket: (@Sendable (MediaTime) throws(MediaError) -> Void)?
    /// Called before a seek.
    package var willSeek: (@Sendable () throws(MediaError) -> Void)?
    /// Called before a frame is computed, in decoding order. The argument is the number of the
    /// frame.
    package var willDecodeFrame: (@Sendable (Int) throws(MediaError) -> Void)?
    /// Called before a frame is requested from a decoder, whether or not the decoder has one.
    package var willReceiveFrame: (@Sendable () throws(MediaError) -> Void)?

    package init() {}
}
