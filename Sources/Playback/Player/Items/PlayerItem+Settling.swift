// SPDX-License-Identifier: Apache-2.0

import PlayheadAudio
import PlayheadBuffers
import PlayheadThreads
package import PlayheadTime

/// For whoever moves the clock by hand and compares the item with a model of it: when all has been
/// done that follows from what was asked, and what would be seen then. What waits gives up after
/// some nanoseconds, and says false.
extension PlayerItem {
    /// Waits until there is a picture.
    package func waitForFirstPicture(nanoseconds: Int64) -> Bool {
        pipeline.control.wait(nanoseconds: nanoseconds) { $0.hasVideo ? true : nil } ?? false
    }

    /// Waits until seeks and steps are done, there is a picture, and the playhead is where it is expected to be.
    package func waitUntilSettled(
        isRunning: Bool, endCount: Int, nanoseconds: Int64, isExpected: (MediaTime) -> Bool
    ) -> Bool {
        let timebase = timebase
        return pipeline.control.wait(nanoseconds: nanoseconds) { control in
            let hasPicture = control.hasVideo || control.videoEnd != nil
            return control.seek == nil && control.steps.isEmpty && hasPicture
                && control.isRunning == isRunning && control.endCount == endCount
                && isExpected(timebase.time) ? true : nil
        } ?? false
    }

    /// Whether it plays on where there are no more pictures, since it has not been found out yet that
    /// those are over, or that playback is.
    package var overlooksEnd: Bool {
        let timebase = timebase
        return pipeline.control.withLock { control in
            guard control.isRunning, !control.hasPlayedToEnd, control.direction == .forward else {
                return false
            }
            if let end = control.playbackEnd { return timebase.time >= end }
            return control.videoTrack != nil && control.videoEnd == nil
        }
    }

    /// Whether sound is decoded for so much of the clock's time to come, or none will be.
    package func hasSound(ahead time: MediaTime) -> Bool { pipeline.hasSound(ahead: time) }

    /// What has been asked for and may not be done yet, for people to read.
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

    /// Waits until the picture at a time is decided, as `waitForPixelBuffer` of an output does.
    package func waitForPicture(at time: MediaTime, nanoseconds: Int64) {
        _ = pipeline.frames.waitForFrame(
            after: time, playhead: currentTime, nanoseconds: nanoseconds)
    }

    /// When the frame begins that would be handed out for a time.
    package func pictureTime(at time: MediaTime) -> MediaTime? {
        pipeline.frames.frame(at: time, playhead: time, taking: false)?.presentationTime
    }

    /// The clock has been moved: there may be room for sound.
    package func hasClockMoved() {
        pipeline.control.withLock { $0.renderer }?.wakeWriter()
    }
}
