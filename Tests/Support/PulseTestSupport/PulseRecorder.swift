// SPDX-License-Identifier: Apache-2.0

package import PlayheadAudio
import PlayheadTime

/// Records the monitor of a sink, and knows at which host time each sample was heard.
///
/// A monitor delivers what the sink *renders*, which is heard only when the sink's latency has
/// passed. The server says how long that is at the moment that it stamps: when it had captured
/// frame *n*, frame *n* less the latency was being heard. (That is why `pa_stream_get_latency` of a
/// monitor is negative.) A null sink renders in blocks of some ten milliseconds, and its latency
/// falls from one block to the next by what the clock rises, so the difference is smooth, to some
/// 20 microseconds. Between two readings the host time of a sample is interpolated.
///
/// - Concurrency: any thread.
/// - Ownership: the recording ends with the object.
package final class PulseRecorder: Sendable {
    /// What was recorded.
    package struct Recording: Sendable {
        package var sampleRate: Int
        package var channelCount: Int
        /// Interleaved.
        package var samples: [Float] = []
        /// The frame, with its fraction, that was being heard at a host time in nanoseconds.
        var readings: [(frame: Double, hostTime: Int64)] = []

        package var frameCount: Int { samples.count / channelCount }

        /// The host time at which a frame was heard, in nanoseconds, interpolated between the
        /// readings on either side; nil where there are none.
        package func hostTime(ofFrame frame: Double) -> Int64? {
            guard let index = readings.firstIndex(where: { $0.frame > frame }), index > 0 else {
                return nil
            }
            let (before, after) = (readings[index - 1], readings[index])
            let fraction = (frame - before.frame) / (after.frame - before.frame)
            return before.hostTime
                + Int64((Double(after.hostTime - before.hostTime) * fraction).rounded())
        }

        /// Whether everything that was heard up to a host time, in nanoseconds, is recorded.
        func reaches(hostTime: Int64) -> Bool {
            guard let last = readings.last else { return false }
            return last.hostTime > hostTime && Double(frameCount) >= last.frame
        }

        /// The first frames of sounds: those louder than `threshold` after `silence` frames that
        /// are not, in the first channel.
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
    ///   - server: as `PULSE_SERVER`; nil for the environment's.
    ///   - source: the name of a sink's monitor.
    package init(
        server: String?, source: String = "null.monitor", sampleRate: Int = 48_000,
        channelCount: Int = 2
    ) throws(AudioError) {
        stream = try RecordingStream(
            server: server, source: source, sampleRate: sampleRate, channelCount: channelCount)
    }

    deinit { stream.close() }

    /// Waits until `condition` holds of what has been recorded, at most `seconds`.
    ///
    /// - Returns: what has been recorded by then.
    package func wait(
        seconds: Double, until condition: (Recording) -> Bool = { _ in false }
    ) -> Recording {
        stream.wait(seconds: seconds, until: condition)
    }

    /// Waits until everything that is heard up to a host time, in nanoseconds, is recorded.
    package func wait(untilHostTime hostTime: Int64) -> Recording {
        let seconds = Double(hostTime - HostClock.nanoseconds) / 1e9 + 5
        return stream.wait(seconds: seconds) { $0.reaches(hostTime: hostTime) }
    }
}
