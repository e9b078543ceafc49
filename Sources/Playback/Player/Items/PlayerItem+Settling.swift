// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
package import PlayheadTime

/// Support for callers that move the clock manually and compare the item with a model of the item.
/// A waiting method returns true once all consequences of requests are complete, and false after a
/// number of nanoseconds.
extension PlayerItem {
    /// Waits until there is a frame.
    package func waitForFirstPicture(nanoseconds: Int64) -> Bool {
        pipeline.control.wait(nanoseconds: nanoseconds) { $0.hasVideo ? true : nil } ?? false
    }

    /// A Boolean value that indicates whether the item continues to play after the last frame or,
    /// without video, the last sample, because the end has not been detected yet.
    package var overlooksEnd: Bool {
        let timebase = timebase
        return pipeline.control.withLock { control in
            guard control.isRunning, !control.hasPlayedToEnd, control.direction == .forward else {
                return false
            }
            if let end = control.playbackEnd { return timebase.time >= end }
            if control.videoTrack != nil { return control.videoEnd == nil }
            guard control.audioTrack != nil, !control.isAudioDisabled,
                let renderer = control.renderer
            else { return false }
            return renderer.bufferedTimeRange.end <= renderer.soundTime(at: timebase.time)
        }
    }

    /// The number of ends that were reached, including the ends of a loop's repetitions. It may be
    /// ahead of `state`, which is published afterwards.
    package var reachedEndCount: Int {
        pipeline.control.withLock { $0.endCount + $0.transport.loop.progress.total }
    }

    /// Returns whether the audio that is heard within the next `time` on the clock has been
    /// decoded, or no more audio will be decoded.
    package func hasSound(ahead time: MediaTime) -> Bool { pipeline.hasSound(ahead: time) }

    /// A description of the pending requests.
    package var pendingRequests: String {
        pipeline.control.withLock { control in
            """
            seek \(control.seek.map { "\($0.target)" } ?? "none"), steps \(control.steps), \
            rate \(control.desiredRate), running \(control.isRunning), \
            pictures to \(control.videoEnd.map { "\($0)" } ?? "?"), \
            sound to \(control.audioEnd.map { "\($0)" } ?? "?")
            """
        }
    }

    /// Waits until it is certain which frame is visible at a time, as `waitForPixelBuffer` of an
    /// output does.
    package func waitForPicture(at time: MediaTime, nanoseconds: Int64) {
        _ = pipeline.frames.waitForFrame(
            after: time, playhead: currentTime, nanoseconds: nanoseconds)
    }

    /// Returns the time at which the frame visible at `time` begins.
    package func pictureTime(at time: MediaTime) -> MediaTime? {
        pipeline.frames.frame(at: time, playhead: time, taking: false)?.presentationTime
    }

    /// Notifies the item that its clock has moved. The queue may then have space for more audio.
    package func hasClockMoved() {
        pipeline.wakeAudioWriters()
    }
}
