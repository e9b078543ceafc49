// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadTime

/// Writes the compressed samples of tracks into a container.
///
/// - Concurrency: one thread at a time, not bound to a particular one.
/// - Corresponds to: `AVFormatContext` of an output.
package protocol MediaMuxer: AnyObject, Sendable {
    /// Writes the header, after which tracks cannot be added.
    func begin() throws(MediaWritingError)
    /// Writes a sample.
    ///
    /// - Parameters:
    ///   - packet: The sample. Its times count from the file's beginning; samples before 0 are cut
    ///     off by an edit list where the container has one. Decode times increase in a track.
    ///   - track: The index of the track, in the order in which they were given.
    func write(_ packet: MediaPacket, track: Int) throws(MediaWritingError)
    /// Writes a cue of a subtitle track.
    func write(_ text: String, in range: MediaTimeRange, track: Int) throws(MediaWritingError)
    /// Completes the file, without moving it into place.
    ///
    /// - Parameter end: The end of the file, after which nothing is shown where the container has
    ///   edit lists; positive infinity for that of the last sample.
    func finish(at end: MediaTime) throws(MediaWritingError)
}
