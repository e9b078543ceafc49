// SPDX-License-Identifier: Apache-2.0

package import PlayheadAudio
import PlayheadTime

/// Records the monitor of a sink with the host time at which each sample was played.
///
/// A monitor delivers samples when the sink *renders* them; they are played after the latency of
/// the sink. The server reports that latency at the time of its timestamp: when it had captured
/// frame *n*, frame *n* minus the latency was playing. (This is why `pa_stream_get_latency` of a
/// monitor is negative.) A null sink renders in blocks of some ten milliseconds, and its latency
/// decreases from one block to the next as the clock advances, so the difference is smooth to about
/// 20 microseconds. Between two readings, the host time of a sample is interpolated.
///
/// - Concurrency: any thread.
/// - Ownership: the recording ends with the object.
package final class PulseRecorder: Sendable {
    /// A recording.
    package struct Recording: Sendable {
        package var sampleRate: Int
        package var channelCount: Int
        /// Interleaved samples.
        package var samples: [Float] = []
        /// The frame, with its fraction, that was playing at a host time in nanoseconds.
        var readings: [(frame: Double, hostTime: Int64)] = []

        package var frameCount: Int { samples.count / channelCount }

        /// Returns the host time at which a frame was played, in nanoseconds, interpolated between
        /// the readings on either side, or nil without them.
        package func hostTime(ofFrame frame: Double) -> Int64? {
            guard let index = readings.firstIndex(where: { $0.frame > frame }), index > 0 else {
                return nil
            }
            let (before, after) = (readings[index - 1], readings[index])
            let fraction = (frame - before.frame) / (after.frame - before.frame)
            return before.hostTime
                + Int64((Double(after.hostTime - before.hostTime) * fraction).rounded())
        }

        /// Returns whether everything that was played up to a host time, in nanoseconds, is
        /// recorded.
        func reaches(hostTime: Int64) -> Bool {
            guard let last = readings.last else { return false }
            return last.hostTime > hostTime && Double(frameCount) >= last.frame
        }

        /// Returns the first frames of signals: those above `threshold` that follow `silence`
        /// frames below it, in the first channel.
        package func onsets(threshold: Float = 0.1, silence: Int = 480) -> [Int] {
            var result: [Int] = []
            var quiet = silence
            for frame in 0..<frameCount {
                if abs(samples[frame * channelCount]) > threshold {
                    if quiet >= silence { result.append(frame) }
                    quiet = 0
                } else {
                    quiet += 1
                }
            }
            return result
        }
    }

    private let stream: RecordingStream

    /// Starts recording.
    ///
    /// - Parameters:
    ///   - server: the address, as in `PULSE_SERVER`; nil for that of the environment.
    ///   - source: the name of a sink's monitor.
    package init(
        server: String?, source: String = "null.monitor", sampleRate: Int = 48_000,
        channelCount: Int = 2
    ) throws(AudioError) {
        stream = try RecordingStream(
            server: server, source: source, sampleRate: sampleRate, channelCount: channelCount)
    }

    deinit { stream.close() }

    /// Waits until a recording satisfies `condition`, at most `seconds`.
    ///
    /// - Returns: The recording.
    package func wait(
        seconds: Double, until condition: (Recording) -> Bool = { _ in false }
    ) -> Recording {
        stream.wait(seconds: seconds, until: condition)
    }

    /// Waits until everything that is played up to a host time, in nanoseconds, is recorded.
    package func wait(untilHostTime hostTime: Int64) -> Recording {
        let seconds = Double(hostTime - HostClock.nanoseconds) / 1e9 + 60
        return stream.wait(seconds: seconds) { $0.reaches(hostTime: hostTime) }
    }
}
