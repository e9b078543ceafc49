// SPDX-License-Identifier: Apache-2.0

package import PlayheadAudio

/// Audio tracks of an asset that are heard as one, each with its volume over time.
///
/// - Concurrency: a value; any thread.
package struct MixedAudioTrack: Sendable {
    /// The `AssetTrack.id` of each track. The mix has the ID of the first.
    package var trackIDs: [Int]
    /// The volumes of the tracks. It has no taps.
    package var mix: AudioMix

    /// Creates a description of a mix.
    package init(trackIDs: [Int], mix: AudioMix) {
        self.trackIDs = trackIDs
        self.mix = mix
    }
}
