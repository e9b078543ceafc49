// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// A muxer that writes the compressed samples of tracks into a container.
///
/// - Concurrency: one thread at a time; each call may be on a different thread.
/// - Corresponds to: `AVFormatContext` of an output.
package protocol MediaMuxer: AnyObject, Sendable {
    /// Writes the header. After this, no tracks can be added.
    func begin() throws(MediaWritingError)
    /// Writes a sample.
    ///
    /// - Parameters:
    ///   - packet: The sample. Its times are relative to the beginning of the file. If the
    ///     container has edit lists, samples before 0 are cut off by an edit list. Decode times
    ///     must increase within a track.
    ///   - track: The index of the track, in the order in which tracks were given.
    func write(_ packet: MediaPacket, track: Int) throws(MediaWritingError)
    /// Writes a cue of a subtitle track.
    func write(_ text: String, in range: MediaTimeRange, track: Int) throws(MediaWritingError)
    /// Completes a segment. The next packet begins another one.
    func flush() throws(MediaWritingError)
    /// Completes the file, without moving it into place.
    ///
    /// - Parameter end: The end of the file; positive infinity for the end of the last sample. If
    ///   the container has edit lists, nothing is shown after the end.
    func finish(at end: MediaTime) throws(MediaWritingError)
}
