// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

/// A destination of rendered audio.
protocol RenderAudioSink: AnyObject {
    /// Returns the supported sample rate that is nearest to another rate.
    func sampleRate(of rate: Int) -> Int
    /// Appends audio.
    func append(_ sound: AudioBuffer) throws
    /// Declares that no audio follows.
    func endAudio() throws
}
